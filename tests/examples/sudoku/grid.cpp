#include "../../../examples/sudoku/grid.hpp"

#include <doctest/doctest.h>

#include <array>
#include <set>

namespace {

using namespace sudoku;

TEST_CASE("every cell lies in one row, one column and one box, and every unit has nine cells") {
  std::array<int, cell_count> times{};
  for (const auto& unit : units) {
    CHECK(std::set<std::size_t>(unit.begin(), unit.end()).size() == 9);
    for (const std::size_t cell : unit) ++times[cell];
  }
  for (const int n : times) CHECK(n == 3);
  CHECK(box_of(0) == 0);
  CHECK(box_of(9 * 2 + 8) == 2);
  CHECK(box_of(9 * 4 + 4) == 4);
  CHECK(box_of(80) == 8);
}

TEST_CASE("a cell has 20 peers, split over the relations as the rules of Sudoku say") {
  for (std::size_t a = 0; a < cell_count; ++a) {
    std::array<int, relation_count> count{};
    for (std::size_t b = 0; b < cell_count; ++b) {
      CHECK(relation_of(a, b) == relation_of(b, a));
      ++count[static_cast<std::size_t>(relation_of(a, b))];
    }
    CHECK(count == std::array<int, relation_count>{60, 6, 6, 4, 2, 2, 1});
  }
}

TEST_CASE("named pairs of cells have the relation that one sees") {
  static_assert(relation_of(0, 0) == relation::itself);
  static_assert(relation_of(0, 1) == relation::box_and_row);
  static_assert(relation_of(0, 3) == relation::same_row);
  static_assert(relation_of(0, 9) == relation::box_and_column);
  static_assert(relation_of(0, 27) == relation::same_column);
  static_assert(relation_of(0, 10) == relation::same_box);
  static_assert(relation_of(0, 80) == relation::none);
}

TEST_CASE("a grid survives being written on a line") {
  grid g{};
  for (std::size_t cell = 0; cell < cell_count; ++cell) g[cell] = static_cast<std::int8_t>(cell % 10);
  CHECK(from_line(to_line(g)) == g);
  CHECK(to_line(g).starts_with(".123456789."));
  CHECK(count_blanks(g) == 9);
}

}  // namespace
