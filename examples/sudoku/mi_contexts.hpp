/// @file
/// @brief Partly filled grids on which estimates of mutual information are compared.
///
/// Context i of seed s depends on s, i and the mixture alone. Its number of blanks is uniform; what is blank is as in training
/// (training_set.hpp), by default: in a fifth of them any cells of the solution, in half of the others what a filling in
/// easiest-first order leaves of a puzzle, in the rest a random subset of a puzzle's blanks. Where a puzzle has too few blanks,
/// random givens are taken back.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "easy_first.hpp"
#include "grid.hpp"
#include "lacuna/core/canvas.hpp"
#include "lacuna/core/errors.hpp"
#include "lacuna/core/random.hpp"
#include "puzzle_pool.hpp"
#include "training_set.hpp"

namespace sudoku {

struct blank_range {
  std::size_t least = 20, most = 60;
};

/// A grid of the puzzle's solution with that many blanks.
inline lacuna::canvas mi_context(const solved_puzzle& p, std::size_t blanks, const mixture& mix,
                                 lacuna::random_stream& random) {
  std::vector<std::size_t> order;  // cells in the order in which they become known; the last `blanks` stay blank
  const auto shuffle_in = [&](const auto& wanted) {
    const std::size_t first = order.size();
    for (std::size_t cell = 0; cell < cell_count; ++cell)
      if (wanted(cell)) order.push_back(cell);
    random.shuffle(std::span{order}.subspan(first));
  };
  if (random.bernoulli(mix.full_grids)) {
    shuffle_in([](std::size_t) { return true; });
  } else {
    const bool easy = random.bernoulli(mix.easy_first);
    shuffle_in([&](std::size_t cell) { return p.givens[cell] != blank; });
    if (easy) {
      const easy_first_order filling = easy_first(p.givens, p.solution, random);
      order.insert(order.end(), filling.cells.begin(), filling.cells.end());
    } else {
      shuffle_in([&](std::size_t cell) { return p.givens[cell] == blank; });
    }
  }
  const auto tokens = tokens_of(p.solution);
  return lacuna::canvas::infill({tokens.begin(), tokens.end()}, {order.data() + (cell_count - blanks), blanks});
}

/// `count` of them.
inline std::vector<lacuna::canvas> mi_contexts(std::size_t count, std::uint64_t seed, const blank_range& range = {},
                                               const mixture& mix = {}) {
  if (range.least > range.most || range.most > cell_count)
    throw lacuna::invalid_argument("contexts of " + std::to_string(range.least) + " to " + std::to_string(range.most) +
                                   " blanks, expected an ascending range within 0 to 81");
  std::vector<lacuna::canvas> all;
  for (std::size_t i = 0; i < count; ++i) {
    const solved_puzzle p = pool_puzzle(seed, i, {});
    lacuna::random_stream random{~seed, lacuna::stream_use::other, i, 0};  // not the stream that made the puzzle
    const std::size_t blanks = range.least + static_cast<std::size_t>(random.below(range.most - range.least + 1));
    all.push_back(mi_context(p, blanks, mix, random));
  }
  return all;
}

}  // namespace sudoku
