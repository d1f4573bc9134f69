#include "lacuna/order/left_to_right.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "tests/support/step_fixture.hpp"

namespace {

using lacuna::order::left_to_right;
using lacuna::testing::choose;
using lacuna::testing::run_to_the_end;
using lacuna::testing::step_fixture;
using positions = std::vector<std::size_t>;

static_assert(lacuna::forgetful_order_policy<left_to_right>);
static_assert(lacuna::restricting_order_policy<left_to_right>);
static_assert(lacuna::needs_of<left_to_right> == lacuna::statistics::none);
static_assert(left_to_right{.k = 3}.k == 3);

TEST_CASE("left_to_right decodes gaps in reading order") {
  const positions gaps{1, 2, 5, 7, 8};
  step_fixture f(lacuna::canvas::infill(std::vector<lacuna::token>(10, 0), gaps));
  CHECK(run_to_the_end(left_to_right{.k = 2}, f) == std::vector<positions>{{1, 2}, {5, 7}, {8}});
}

TEST_CASE("left_to_right has nothing else scored") {
  lacuna::no_memory memory;
  positions masked{3, 4, 8};
  left_to_right{}.restrict_to(lacuna::canvas::blank(10), memory, masked);
  CHECK(masked == positions{3});
  left_to_right{.k = 5}.restrict_to(lacuna::canvas::blank(10), memory, masked);
  CHECK(masked == positions{3});
}

TEST_CASE("left_to_right refuses k = 0") {
  CHECK_THROWS_WITH_AS(left_to_right{0}.validate(), "order::left_to_right: k = 0, expected at least 1 position a step",
                       lacuna::invalid_argument);
}

}  // namespace
