#include <doctest/doctest.h>

#include <string>

#include "../../../examples/sudoku/data_folder.hpp"
#include "../../../examples/sudoku/puzzle_pool.hpp"

namespace {

using namespace sudoku;

TEST_CASE("the evaluation file holds 1000 unrelated puzzles with 27 givens and the one solution it says") {
  const std::vector<puzzle> puzzles = read_puzzles(data_folder() + "/expert-1000.csv");
  REQUIRE(puzzles.size() == 1000);
  solver<> s;
  for (const puzzle& p : puzzles) {
    CHECK(count_blanks(p.givens) == 54);
    REQUIRE(p.solution.has_value());
    CHECK(s.count(p.givens, 2) == 1);
    CHECK(s.solution() == *p.solution);
    CHECK(is_solved(p.givens, *p.solution));
  }
  CHECK(signatures_of(puzzles).size() == 1000);
}

}  // namespace
