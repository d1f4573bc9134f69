#include "../../../examples/sudoku/check.hpp"

#include <doctest/doctest.h>

#include <array>
#include <utility>

namespace {

using namespace sudoku;

constexpr grid full = from_line("534678912672195348198342567859761423426853791713924856961537284287419635345286179");
constexpr grid puzzle = from_line("53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79");

TEST_CASE("a right answer is valid, keeps the givens and is solved") {
  CHECK(is_valid(full));
  CHECK(keeps_givens(puzzle, full));
  CHECK(is_solved(puzzle, full));
  CHECK(is_consistent(puzzle));
  CHECK(is_consistent(full));
}

TEST_CASE("changing any one cell of a right answer makes it invalid") {
  for (std::size_t cell = 0; cell < cell_count; ++cell) {
    for (std::int8_t digit = -1; digit <= 10; ++digit) {
      if (digit == full[cell]) continue;
      grid wrong = full;
      wrong[cell] = digit;
      CHECK_FALSE(is_valid(wrong));
      CHECK_FALSE(is_solved(puzzle, wrong));
    }
  }
}

TEST_CASE("swapping two different digits of a right answer makes it invalid") {
  for (std::size_t a = 0; a < cell_count; ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      if (full[a] == full[b]) continue;
      grid wrong = full;
      std::swap(wrong[a], wrong[b]);
      CHECK_FALSE(is_valid(wrong));
    }
  }
}

TEST_CASE("rows that are each in order do not make a grid valid") {
  grid rows_only{};
  for (std::size_t cell = 0; cell < cell_count; ++cell) rows_only[cell] = static_cast<std::int8_t>(cell % 9 + 1);
  CHECK_FALSE(is_valid(rows_only));
}

TEST_CASE("rows and columns in order do not make up for boxes that are not") {
  grid latin{};
  for (std::size_t cell = 0; cell < cell_count; ++cell)
    latin[cell] = static_cast<std::int8_t>((row_of(cell) + column_of(cell)) % 9 + 1);
  CHECK_FALSE(is_valid(latin));
}

TEST_CASE("a unit whose digits add up and multiply to the right numbers is still checked digit by digit") {
  // 1 2 4 4 4 5 7 9 9 has the sum 45 and the product 362880 of 1 to 9.
  grid wrong = full;
  constexpr std::array<std::int8_t, 9> trick{1, 2, 4, 4, 4, 5, 7, 9, 9};
  for (std::size_t k = 0; k < 9; ++k) wrong[k] = trick[k];
  CHECK_FALSE(is_valid(wrong));
}

TEST_CASE("a grid with a blank left is not valid, and an empty one least of all") {
  grid wrong = full;
  wrong[40] = blank;
  CHECK_FALSE(is_valid(wrong));
  CHECK_FALSE(is_valid(grid{}));
  CHECK(is_consistent(grid{}));
}

TEST_CASE("a valid grid that changed a given is valid but not solved") {
  grid other = full;
  for (std::int8_t& digit : other) digit = digit == 1 ? std::int8_t{2} : digit == 2 ? std::int8_t{1} : digit;
  CHECK(is_valid(other));
  CHECK_FALSE(keeps_givens(puzzle, other));
  CHECK_FALSE(is_solved(puzzle, other));
}

TEST_CASE("two equal digits in a row, a column or a box are inconsistent, in no unit they are not") {
  for (const std::size_t cell : {3U, 36U, 10U, 80U}) {
    grid g{};
    g[0] = 7;
    g[cell] = 7;
    CHECK(is_consistent(g) == (cell == 80U));
  }
}

TEST_CASE("violated units are those that lack a digit") {
  const sudoku::grid solution =
      sudoku::from_line("534678912672195348198342567859761423426853791713924856961537284287419635345286179");
  CHECK(sudoku::violated_units(solution) == 0);
  sudoku::grid g = solution;
  g[40] = 1;  // its row, column and box
  CHECK(sudoku::violated_units(g) == 3);
  g = solution;
  std::swap(g[0], g[1]);  // in one row and box: two columns
  CHECK(sudoku::violated_units(g) == 2);
  CHECK(sudoku::violated_units(sudoku::grid{}) == 27);
}

}  // namespace
