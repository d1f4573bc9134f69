#include "../../../examples/sudoku/mi_contexts.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <set>
#include <vector>

#include "../../../examples/sudoku/check.hpp"
#include "fixtures.hpp"

namespace {

using namespace sudoku;
using namespace sudoku_test;

grid shown(const lacuna::canvas& c) {
  grid g{};
  for (std::size_t cell = 0; cell < cell_count; ++cell) g[cell] = c.is_masked(cell) ? blank : static_cast<std::int8_t>(c[cell]);
  return g;
}

TEST_CASE("contexts are partly blank solutions, of every number of blanks alike") {
  const auto contexts = mi_contexts(120, 7, {20, 22});
  std::array<std::size_t, 3> counts{};
  for (std::size_t i = 0; i < contexts.size(); ++i) {
    const std::size_t blanks = contexts[i].count(lacuna::cell::masked);
    REQUIRE(blanks >= 20);
    REQUIRE(blanks <= 22);
    ++counts[blanks - 20];
    CHECK(keeps_givens(shown(contexts[i]), pool_puzzle(7, i, {}).solution));
  }
  for (const std::size_t n : counts) CHECK(n > 20);  // 40 expected, standard deviation 5.2
}

TEST_CASE("a context depends on seed and number alone") {
  const auto all = mi_contexts(6, 3);
  CHECK(mi_contexts(3, 3) == std::vector<lacuna::canvas>(all.begin(), all.begin() + 3));
  CHECK(mi_contexts(3, 4) != mi_contexts(3, 3));
}

TEST_CASE("a context of a puzzle keeps its givens while it has blanks enough, a full grid does not") {
  const auto givens_kept = [](const mixture& mix, std::size_t blanks) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < 20; ++i) {
      const solved_puzzle p = pool_puzzle(5, i, {});
      lacuna::random_stream random{9, lacuna::stream_use::other, i, 0};
      const lacuna::canvas c = mi_context(p, blanks, mix, random);
      CHECK(c.count(lacuna::cell::masked) == blanks);
      kept += keeps_givens(p.givens, shown(c)) ? 1 : 0;
    }
    return kept;
  };
  for (const double easy : {0.0, 1.0}) {
    CHECK(givens_kept({.full_grids = 0, .easy_first = easy}, 30) == 20);
    CHECK(givens_kept({.full_grids = 0, .easy_first = easy}, 70) == 0);
  }
  CHECK(givens_kept({.full_grids = 1}, 30) == 0);
  CHECK(givens_kept({.full_grids = 0}, 0) == 20);
  CHECK(givens_kept({.full_grids = 0}, 81) == 0);
}

TEST_CASE("in easiest-first order what is left is what was hard") {
  // the last blanks of that order, where a random order would leave others
  std::size_t same = 0;
  for (std::size_t i = 0; i < 10; ++i) {
    const solved_puzzle p = pool_puzzle(5, i, {});
    lacuna::random_stream a{1, lacuna::stream_use::other, i, 0}, b{1, lacuna::stream_use::other, i, 0};
    const auto easy = mi_context(p, 20, {.full_grids = 0, .easy_first = 1}, a);
    const auto any = mi_context(p, 20, {.full_grids = 0, .easy_first = 0}, b);
    same += easy == any ? 1 : 0;
  }
  CHECK(same == 0);
}

TEST_CASE("a range of blanks that is none is refused") {
  CHECK_THROWS_WITH_AS(mi_contexts(1, 0, {30, 20}), "contexts of 30 to 20 blanks, expected an ascending range within 0 to 81",
                       lacuna::invalid_argument);
  CHECK_THROWS_AS(mi_contexts(1, 0, {30, 82}), lacuna::invalid_argument);
}

}  // namespace
