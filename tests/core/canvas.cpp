#include "lacuna/core/canvas.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <vector>

using namespace lacuna;

namespace {

std::vector<cell> cells(const canvas& c) { return {c.cells().begin(), c.cells().end()}; }
constexpr cell F = cell::fixed;
constexpr cell M = cell::masked;

}  // namespace

TEST_CASE("a blank canvas is masked throughout") {
  const canvas c = canvas::blank(3);
  CHECK(c.size() == 3);
  CHECK(cells(c) == std::vector<cell>{M, M, M});
  CHECK(c.count(cell::masked) == 3);
  CHECK(canvas::blank(0).size() == 0);
  CHECK(canvas{}.size() == 0);
}

TEST_CASE("a continuation fixes the prompt and masks the rest") {
  const std::vector<token> prompt{7, 8};
  const canvas c = canvas::continuation(prompt, 4);
  CHECK(cells(c) == std::vector<cell>{F, F, M, M});
  CHECK(c[0] == 7);
  CHECK(c[1] == 8);
  CHECK(cells(canvas::continuation(prompt, 2)) == std::vector<cell>{F, F});
  CHECK(cells(canvas::continuation({}, 2)) == std::vector<cell>{M, M});
  CHECK_THROWS_WITH_AS(canvas::continuation(prompt, 1), "canvas: a prompt of 2 tokens does not fit a length of 1",
                       invalid_argument);
}

TEST_CASE("infill masks the positions named and fixes all others") {
  const std::vector<std::size_t> gaps{3, 1};
  const canvas c = canvas::infill({5, 6, 7, 8}, gaps);
  CHECK(cells(c) == std::vector<cell>{F, M, F, M});
  CHECK(c[0] == 5);
  CHECK(c[2] == 7);
  const std::vector<std::size_t> outside{4};
  const std::vector<std::size_t> twice{1, 1};
  CHECK_THROWS_WITH_AS(canvas::infill({5, 6, 7, 8}, outside), "canvas: masked position 4 in a sequence of length 4",
                       invalid_argument);
  CHECK_THROWS_WITH_AS(canvas::infill({5, 6}, twice), "canvas: position 1 is masked twice", invalid_argument);
  CHECK(cells(canvas::infill({5, 6}, {})) == std::vector<cell>{F, F});
}

TEST_CASE("infill_where masks every occurrence of one id") {
  const canvas c = canvas::infill_where({9, 1, 9}, 9);
  CHECK(cells(c) == std::vector<cell>{M, F, M});
}

TEST_CASE("a position's state is a flag: fixed text may hold any id") {
  const std::vector<std::size_t> gaps{0};
  const canvas c = canvas::infill({9, 9, 9}, gaps);
  CHECK(c.is_masked(0));
  CHECK(c.is_fixed(1));
  CHECK(c[1] == 9);
}

TEST_CASE("positions are committed, masked again, closed and counted") {
  canvas c = canvas::blank(4);
  c.fix(0, 1);
  c.commit(1, 2);
  c.close(3, 5);
  CHECK(cells(c) == std::vector<cell>{F, cell::committed, M, cell::closed});
  CHECK(c.is_committed(1));
  CHECK(c[3] == 5);
  for (const cell state : {F, cell::committed, M, cell::closed}) CHECK(c.count(state) == 1);
  c.mask(1);
  CHECK(c.is_masked(1));
  CHECK_FALSE(c.is_committed(1));
  CHECK(c.count(M) == 2);
}

TEST_CASE("a position that is not there is refused, and nothing changes") {
  canvas c = canvas::blank(3);
  const char* message = "canvas: position 3 of a sequence of length 3, expected less";
  CHECK_THROWS_WITH_AS(c.fix(3, 1), message, invalid_argument);
  CHECK_THROWS_WITH_AS(c.commit(3, 1), message, invalid_argument);
  CHECK_THROWS_WITH_AS(c.mask(3), message, invalid_argument);
  CHECK_THROWS_WITH_AS(c.close(3, 1), message, invalid_argument);
  CHECK_THROWS_AS(canvas{}.mask(0), invalid_argument);
  CHECK(c == canvas::blank(3));
}

TEST_CASE("canvases are equal when tokens and states are") {
  canvas a = canvas::blank(2);
  canvas b = canvas::blank(2);
  CHECK(a == b);
  a.commit(0, 0);
  CHECK(a != b);
  b.fix(0, 0);
  CHECK(a != b);
  b = a;
  CHECK(a == b);
}
