/// @file
/// @brief Fills many puzzles in at once, one cell of each a pass: the cell that the model is surest of, with its likeliest
/// digit.
///
/// What training measures itself with: as many passes as the emptiest puzzle has blanks, on fewer and fewer rows.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "check.hpp"
#include "grid.hpp"
#include "lacuna/concepts/selective_model.hpp"
#include "lacuna/core/batch.hpp"
#include "lacuna/core/errors.hpp"
#include "lacuna/core/row.hpp"
#include "puzzle_file.hpp"

namespace sudoku {

/// The grids that `model` makes of `puzzles`, filled in one cell a pass, the cell of lowest entropy first. Throws
/// lacuna::model_error when a cell's logits hold no finite number. At most `rows` puzzles go through the model at once.
template <lacuna::selective_model Model>
std::vector<grid> fill_in(Model& model, std::span<const puzzle> puzzles, std::size_t rows = 64) {
  struct choice {
    double entropy;
    std::size_t cell;
    lacuna::token digit;
  };
  std::vector<grid> grids;
  for (const puzzle& p : puzzles) grids.push_back(p.givens);

  std::vector<lacuna::token> tokens;
  std::vector<std::size_t> active, wanted;
  std::vector<choice> best;
  for (std::size_t first = 0; first < grids.size(); first += rows) {
    const std::size_t last = std::min(first + rows, grids.size());
    for (;;) {
      tokens.clear();
      active.clear();
      wanted.clear();
      for (std::size_t k = first; k < last; ++k) {
        if (count_blanks(grids[k]) == 0) continue;
        for (std::size_t cell = 0; cell < cell_count; ++cell) {
          if (grids[k][cell] == blank) wanted.push_back(active.size() * cell_count + cell);
          tokens.push_back(grids[k][cell]);
        }
        active.push_back(k);
      }
      if (active.empty()) break;

      best.assign(active.size(), {std::numeric_limits<double>::infinity(), cell_count, 0});
      const auto consider = [&](std::size_t k, std::span<const float> logits) {
        std::array<double, vocabulary_size> log_p{};
        constexpr std::array<lacuna::token, 1> forbidden{blank};
        const std::size_t cell = wanted[k] % cell_count;
        if (!lacuna::log_softmax(logits, forbidden, log_p)) {
          throw lacuna::model_error("the logits of cell " + std::to_string(cell) + " hold no finite number");
        }
        const double h = lacuna::entropy(log_p);
        choice& b = best[wanted[k] / cell_count];
        if (h < b.entropy || (h == b.entropy && cell < b.cell)) b = {h, cell, lacuna::argmax(log_p)};
      };
      model(lacuna::view_as_tensor<const lacuna::token, 2>(tokens.data(), {active.size(), cell_count}), wanted,
            lacuna::row_sink{consider});
      for (std::size_t b = 0; b < active.size(); ++b) grids[active[b]][best[b].cell] = static_cast<std::int8_t>(best[b].digit);
    }
  }
  return grids;
}

/// How many of the puzzles `model` solves so.
template <lacuna::selective_model Model>
std::size_t count_solved(Model& model, std::span<const puzzle> puzzles) {
  const std::vector<grid> grids = fill_in(model, puzzles);
  std::size_t solved = 0;
  for (std::size_t k = 0; k < puzzles.size(); ++k) solved += is_solved(puzzles[k].givens, grids[k]) ? 1U : 0U;
  return solved;
}

}  // namespace sudoku
