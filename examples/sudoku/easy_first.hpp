/// @file
/// @brief The states that a puzzle passes through when it is filled in easiest cell first.
///
/// A decoder that fills the surest cell first meets other states than one that fills random cells: the cells that follow at
/// once (naked and hidden singles) are gone early, and what it is left with is hard. This order imitates it without a model: a
/// random single of those there are, and where there is none, the solution's digit of one of the cells with the fewest
/// candidates (the "guess" that such a decoder has to make). O(81 * blanks) for a puzzle.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "grid.hpp"
#include "lacuna/core/random.hpp"

namespace sudoku {

struct easy_first_order {
  std::vector<std::size_t> cells;    ///< the blanks in the order in which they are filled
  std::vector<std::size_t> guesses;  ///< indices into `cells` before which no single was left
};

/// A random easy-first order of the blanks of `givens`; `solution` is its only solution.
inline easy_first_order easy_first(const grid& givens, const grid& solution, lacuna::random_stream& random) {
  easy_first_order order;
  grid g = givens;
  std::array<unsigned, 27> lacking;
  lacking.fill(0x1FFU);
  const auto take = [&](std::size_t cell) {
    const unsigned bit = 1U << (g[cell] - 1);
    for (const std::size_t unit : {row_of(cell), 9 + column_of(cell), 18 + box_of(cell)}) lacking[unit] &= ~bit;
  };
  for (std::size_t cell = 0; cell < cell_count; ++cell)
    if (g[cell] != blank) take(cell);

  std::vector<std::size_t> singles, fewest;
  for (std::size_t left = count_blanks(g); left > 0; --left) {
    std::array<unsigned, cell_count> candidates{};
    std::array<unsigned, 27> once{}, twice{};
    for (std::size_t cell = 0; cell < cell_count; ++cell) {
      if (g[cell] != blank) continue;
      const std::array<std::size_t, 3> units_of{row_of(cell), 9 + column_of(cell), 18 + box_of(cell)};
      candidates[cell] = lacking[units_of[0]] & lacking[units_of[1]] & lacking[units_of[2]];
      for (const std::size_t unit : units_of) {
        twice[unit] |= once[unit] & candidates[cell];
        once[unit] |= candidates[cell];
      }
    }
    singles.clear();
    fewest.clear();
    int least = 10;
    for (std::size_t cell = 0; cell < cell_count; ++cell) {
      if (g[cell] != blank) continue;
      unsigned hidden = 0;
      for (const std::size_t unit : {row_of(cell), 9 + column_of(cell), 18 + box_of(cell)})
        hidden |= candidates[cell] & once[unit] & ~twice[unit];
      const int n = std::popcount(candidates[cell]);
      if (n == 1 || hidden != 0) singles.push_back(cell);
      if (n < least) {
        least = n;
        fewest.clear();
      }
      if (n == least) fewest.push_back(cell);
    }
    if (singles.empty()) order.guesses.push_back(order.cells.size());
    const std::vector<std::size_t>& choices = singles.empty() ? fewest : singles;
    const std::size_t cell = choices[static_cast<std::size_t>(random.below(choices.size()))];
    g[cell] = solution[cell];
    take(cell);
    order.cells.push_back(cell);
  }
  return order;
}

}  // namespace sudoku
