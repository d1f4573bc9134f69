#include "../../../examples/sudoku/puzzle_pool.hpp"

#include <doctest/doctest.h>

namespace {

using namespace sudoku;

bool same(const solved_puzzle& a, const solved_puzzle& b) { return a.givens == b.givens && a.solution == b.solution; }

TEST_CASE("a pool is the same for any number of threads, and a larger one starts with a smaller one") {
  const auto one = generate_pool(40, 3, {}, 1);
  const auto three = generate_pool(40, 3, {}, 3);
  const auto fewer = generate_pool(10, 3, {}, 2);
  const auto other_seed = generate_pool(10, 4, {}, 1);
  REQUIRE(one.size() == 40);
  for (std::size_t k = 0; k < one.size(); ++k) CHECK(same(one[k], three[k]));
  for (std::size_t k = 0; k < fewer.size(); ++k) {
    CHECK(same(one[k], fewer[k]));
    CHECK_FALSE(same(one[k], other_seed[k]));
  }
  CHECK(generate_pool(0, 3, {}, 4).empty());
}

TEST_CASE("a pool holds proper puzzles with their solutions") {
  for (const solved_puzzle& p : generate_pool(20, 5, {})) {
    solver<> s;
    CHECK(s.count(p.givens, 2) == 1);
    CHECK(s.solution() == p.solution);
  }
}

TEST_CASE("grids with an excluded signature are replaced, the others stay") {
  const auto free = generate_pool(20, 6, {});
  lacuna::random_stream random{1, lacuna::stream_use::other};
  // Evaluation puzzles that are images of puzzles 4 and 11, one without its solution.
  std::vector<puzzle> evaluation(2);
  evaluation[0].givens = random_symmetry(random)(free[4].givens);
  const symmetry image = random_symmetry(random);
  evaluation[1] = {image(free[11].givens), image(free[11].solution)};
  const signature_set excluded = signatures_of(evaluation);
  const auto kept = generate_pool(20, 6, excluded);
  for (std::size_t k = 0; k < free.size(); ++k) {
    CHECK(same(free[k], kept[k]) == (k != 4 && k != 11));
    CHECK_FALSE(excluded.contains(signature(kept[k].solution)));
  }
}

TEST_CASE("a puzzle that is not proper cannot be excluded") {
  CHECK_THROWS_AS(signatures_of(std::vector<puzzle>(1)), lacuna::invalid_argument);
}

}  // namespace
