#include "lacuna/order/dilated.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "tests/support/step_fixture.hpp"

namespace {

using lacuna::order::dilated;
using lacuna::testing::run_to_the_end;
using lacuna::testing::step_fixture;
using positions = std::vector<std::size_t>;

static_assert(lacuna::forgetful_order_policy<dilated>);
static_assert(lacuna::restricting_order_policy<dilated>);
static_assert(lacuna::needs_of<dilated> == lacuna::statistics::none);
static_assert(dilated{.block = 8}.base == 2);

TEST_CASE("a block of 8 with base 2 is revealed at strides 4, 2 and 1") {
  step_fixture f(8);
  CHECK(run_to_the_end(dilated{8, 2}, f) == std::vector<positions>{{0, 4}, {2, 6}, {1, 3, 5, 7}});
}

TEST_CASE("a block of 10 with base 3 is revealed at strides 3 and 1") {
  step_fixture f(10);
  CHECK(run_to_the_end(dilated{10, 3}, f) == std::vector<positions>{{0, 3, 6, 9}, {1, 2, 4, 5, 7, 8}});
}

TEST_CASE("block follows block, the short last one by its own length") {
  step_fixture f(6);
  CHECK(run_to_the_end(dilated{4, 2}, f) == std::vector<positions>{{0, 2}, {1, 3}, {4, 5}});
  step_fixture g(1);
  CHECK(run_to_the_end(dilated{4, 2}, g) == std::vector<positions>{{0}});
}

TEST_CASE("rounds follow the formula of the paper for every block and base") {
  for (std::size_t block = 1; block <= 40; ++block)
    for (std::size_t base = 2; base <= 5; ++base) {
      step_fixture f(block);
      const auto steps = run_to_the_end(dilated{block, base}, f);
      std::vector<bool> revealed(block, false);
      std::size_t power = 1;
      for (const auto& step : steps) {
        positions expected;
        while (expected.empty()) {
          power *= base;
          const std::size_t stride = std::max<std::size_t>(1, block / power);
          for (std::size_t k = 1; k <= block; ++k)
            if ((k - 1) % stride == 0 && !revealed[k - 1]) expected.push_back(k - 1);
        }
        CHECK(step == expected);
        for (const std::size_t i : expected) revealed[i] = true;
      }
      const double rounds = std::ceil(std::log(static_cast<double>(block)) / std::log(static_cast<double>(base)) - 1e-9);
      CHECK(static_cast<double>(steps.size()) <= std::max(1.0, rounds));
    }
}

TEST_CASE("positions that are known cost no round") {
  const positions gaps{1, 3, 6};
  lacuna::canvas c = lacuna::canvas::blank(8);
  for (std::size_t i = 0; i < 8; ++i)
    if (std::find(gaps.begin(), gaps.end(), i) == gaps.end()) c.commit(i, 0);
  step_fixture f(c);
  CHECK(run_to_the_end(dilated{8, 2}, f) == std::vector<positions>{{6}, {1, 3}});
}

TEST_CASE("only the positions of the round are scored") {
  lacuna::no_memory memory;
  positions masked{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
  dilated{8, 2}.restrict_to(lacuna::canvas::blank(12), memory, masked);
  CHECK(masked == positions{0, 4});
}

TEST_CASE("dilated refuses an empty block and a base below 2") {
  CHECK_NOTHROW(dilated{}.validate());
  CHECK_THROWS_WITH_AS((dilated{0, 2}.validate()), "order::dilated: block = 0, expected at least 1 position",
                       lacuna::invalid_argument);
  CHECK_THROWS_WITH_AS((dilated{8, 1}.validate()), "order::dilated: base = 1, expected at least 2", lacuna::invalid_argument);
}

}  // namespace
