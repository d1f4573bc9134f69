/// @file
/// @brief The transformer that fills grids: its shape, and what it is told about the cells.
///
/// A cell's embedding is the sum of its token's, its row's, its column's and its box's; nothing else says where it stands. Each
/// head learns a bias for every relation of two cells (grid.hpp). Heads start out looking along rows, columns and boxes in
/// turn, every fourth anywhere: learning this from nothing costs most of a short training run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <vector>

#include "grid.hpp"
#include "lacuna/nn/config.hpp"

namespace sudoku {

/// What may differ between two networks.
struct network_size {
  std::size_t width = 64;
  std::size_t depth = 6;
  std::size_t heads = 4;
  std::size_t distinct = 0;  ///< blocks with parameters of their own, gone through again and again; 0: all
};

/// The initial attention bias, [H, 7]: +3 where a head's kind of line is shared.
inline std::vector<float> initial_relation_bias(std::size_t heads) {
  std::vector<float> bias(heads * relation_count, 0.0F);
  const auto set = [&](std::size_t head, std::initializer_list<relation> shared) {
    for (const relation r : shared) bias[head * relation_count + static_cast<std::size_t>(r)] = 3;
  };
  for (std::size_t head = 0; head < heads; ++head) {
    if (head % 4 == 0) set(head, {relation::same_row, relation::box_and_row});
    if (head % 4 == 1) set(head, {relation::same_column, relation::box_and_column});
    if (head % 4 == 2) set(head, {relation::same_box, relation::box_and_row, relation::box_and_column});
  }
  return bias;
}

inline lacuna::nn::transformer_config network_config(const network_size& size) {
  lacuna::nn::transformer_config config;
  config.vocabulary = vocabulary_size;
  config.max_length = cell_count;
  config.width = size.width;
  config.depth = size.depth;
  config.distinct_blocks = size.distinct;
  config.heads = size.heads;
  config.feed_forward = 4 * size.width;
  config.head = lacuna::nn::head_kind::own;
  config.mask_token = blank;

  std::vector<std::uint32_t> row, column, box, relations;
  for (std::size_t cell = 0; cell < cell_count; ++cell) {
    row.push_back(static_cast<std::uint32_t>(row_of(cell)));
    column.push_back(static_cast<std::uint32_t>(column_of(cell)));
    box.push_back(static_cast<std::uint32_t>(box_of(cell)));
    for (std::size_t other = 0; other < cell_count; ++other) {
      relations.push_back(static_cast<std::uint32_t>(relation_of(cell, other)));
    }
  }
  config.features = {{"row", row, 9}, {"column", column, 9}, {"box", box, 9}};
  config.relation = lacuna::nn::position_relation{relations, relation_count, initial_relation_bias(size.heads)};
  return config;
}

}  // namespace sudoku
