/// @file
/// @brief Random full grids, and puzzles with one solution made from them. Deterministic for a stream; a third of a millisecond
/// a puzzle.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "grid.hpp"
#include "lacuna/core/random.hpp"
#include "solve.hpp"

namespace sudoku {

/// A random full grid: an empty one is solved with guesses in random order. Every grid can come out, not all equally often.
inline grid random_grid(lacuna::random_stream& random) {
  const auto random_digit = [&random](unsigned set) {
    for (std::uint64_t skip = random.below(static_cast<std::uint64_t>(std::popcount(set))); skip > 0; --skip) set &= set - 1;
    return set & (~set + 1);
  };
  auto order = solver<>::reading_order;
  random.shuffle<std::uint8_t>(order);
  solver s{random_digit};
  s.count(grid{}, 1, order);
  return s.solution();
}

/// A puzzle whose one solution is `solution`: cells are blanked in random order while the solution stays the only one and
/// more than `fewest_givens` are left. With `fewest_givens` 0 the puzzle is minimal: no given can be spared.
inline grid random_puzzle(const grid& solution, lacuna::random_stream& random, std::size_t fewest_givens = 0) {
  auto order = solver<>::reading_order;
  random.shuffle<std::uint8_t>(order);
  solver<> s;
  grid puzzle = solution;
  std::size_t givens = cell_count;
  for (const std::uint8_t cell : order) {
    if (givens <= fewest_givens) break;
    // The solution stays the only one if no other digit in this cell leads to one.
    puzzle[cell] = blank;
    --givens;
    for (std::int8_t digit = 1; digit <= 9; ++digit) {
      if (digit == solution[cell]) continue;
      puzzle[cell] = digit;
      if (s.count(puzzle, 1) == 0) {
        puzzle[cell] = blank;
        continue;
      }
      puzzle[cell] = solution[cell];
      ++givens;
      break;
    }
  }
  return puzzle;
}

}  // namespace sudoku
