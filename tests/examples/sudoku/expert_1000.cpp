#include <doctest/doctest.h>

#include <string>

#include "../../../examples/sudoku/puzzle_pool.hpp"

namespace {

using namespace sudoku;

/// The evaluation file, found from the path that the compiler was given for this one: absolute, or relative to the build
/// folder, where the tests run.
std::string evaluation_file() {
  const std::string path = __FILE__;
  return path.substr(0, path.rfind("tests/examples")) + "examples/sudoku/expert-1000.csv";
}

TEST_CASE("the evaluation file holds 1000 unrelated puzzles with 27 givens and the one solution it says") {
  const std::vector<puzzle> puzzles = read_puzzles(evaluation_file());
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
