/// @file
/// @brief Is a grid a right answer? The only judge of what is counted as valid or solved.
#pragma once

#include <cstddef>
#include <cstdint>

#include "grid.hpp"

namespace sudoku {

/// Rows, columns and boxes that do not hold each of 1 to 9 once; of 27.
constexpr std::size_t violated_units(const grid& g) {
  std::size_t violated = 0;
  for (const auto& unit : units) {
    unsigned seen = 0;
    for (const std::size_t cell : unit)
      if (g[cell] >= 1 && g[cell] <= 9) seen |= 1U << g[cell];
    violated += seen != 0b1111111110U ? 1U : 0U;
  }
  return violated;
}

/// Every row, column and box holds each of 1 to 9 once.
constexpr bool is_valid(const grid& g) { return violated_units(g) == 0; }

/// Every given of `puzzle` stands unchanged in `answer`.
constexpr bool keeps_givens(const grid& puzzle, const grid& answer) {
  for (std::size_t cell = 0; cell < cell_count; ++cell) {
    if (puzzle[cell] != blank && puzzle[cell] != answer[cell]) return false;
  }
  return true;
}

/// A valid grid that keeps the givens. A proper puzzle has one solution, so this answer is that solution.
constexpr bool is_solved(const grid& puzzle, const grid& answer) { return is_valid(answer) && keeps_givens(puzzle, answer); }

/// No two equal digits in a unit; blanks are fine.
constexpr bool is_consistent(const grid& g) {
  for (const auto& unit : units) {
    unsigned seen = 0;
    for (const std::size_t cell : unit) {
      if (g[cell] == blank) continue;
      if (g[cell] < 1 || g[cell] > 9 || (seen & (1U << g[cell])) != 0) return false;
      seen |= 1U << g[cell];
    }
  }
  return true;
}

}  // namespace sudoku
