#include "../../../examples/sudoku/solve.hpp"

#include <doctest/doctest.h>

namespace {

using namespace sudoku;

/// Tries every digit in every blank cell in reading order; slow, and simple enough to be believed.
std::size_t count_by_trying(grid& g, std::size_t limit, std::size_t cell = 0) {
  while (cell < cell_count && g[cell] != blank) ++cell;
  if (cell == cell_count) return 1;
  std::size_t found = 0;
  for (std::int8_t digit = 1; digit <= 9 && found < limit; ++digit) {
    g[cell] = digit;
    if (is_consistent(g)) found += count_by_trying(g, limit - found, cell + 1);
  }
  g[cell] = blank;
  return found;
}

constexpr grid full = from_line("534678912672195348198342567859761423426853791713924856961537284287419635345286179");
constexpr grid puzzle = from_line("53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79");

TEST_CASE("a puzzle with one solution is solved") {
  solver<> s;
  CHECK(s.count(puzzle, 10) == 1);
  CHECK(s.solution() == full);
  CHECK(has_one_solution(puzzle));
}

TEST_CASE("hard puzzles that need guesses are solved") {
  solver<> s;
  for (const char* line : {"8..........36......7..9.2...5...7.......457.....1...3...1....68..85...1..9....4..",
                           "..............3.85..1.2.......5.7.....4...1...9.......5......73..2.1........4...9",
                           "1....7.9..3..2...8..96..5....53..9...1..8...26....4...3......1..4......7..7...3.."}) {
    CHECK(s.count(from_line(line), 2) == 1);
    CHECK(is_solved(from_line(line), s.solution()));
  }
}

TEST_CASE("the count agrees with trying everything") {
  // Blanking more and more cells of a grid, column by column, gives puzzles with 1, 2, 3, … solutions.
  solver<> s;
  std::size_t several = 0;
  grid g = full;
  for (std::size_t k = 0; k < 45; ++k) {
    g[k % 9 * 9 + k / 9] = blank;
    grid copy = g;
    const std::size_t expected = count_by_trying(copy, 500);
    CHECK(s.count(g, 500) == expected);
    several += expected > 1 ? 1U : 0U;
  }
  CHECK(several > 5);
}

TEST_CASE("the count stops at the limit") {
  solver<> s;
  CHECK(s.count(grid{}, 0) == 0);
  CHECK(s.count(grid{}, 1) == 1);
  CHECK(is_valid(s.solution()));
  CHECK(s.count(grid{}, 777) == 777);
  CHECK_FALSE(has_one_solution(grid{}));
}

TEST_CASE("a puzzle whose givens conflict, openly or not, has no solution") {
  grid open = puzzle;
  open[2] = 5;
  CHECK(solver<>{}.count(open, 2) == 0);
  grid hidden = puzzle;
  hidden[2] = 1;  // consistent, but the solution has 4 there
  REQUIRE(is_consistent(hidden));
  CHECK(solver<>{}.count(hidden, 2) == 0);
}

TEST_CASE("a full grid has one solution, itself, and a broken one has none") {
  solver<> s;
  CHECK(s.count(full, 2) == 1);
  CHECK(s.solution() == full);
  grid broken = full;
  broken[0] = broken[1];
  CHECK(s.count(broken, 2) == 0);
}

}  // namespace
