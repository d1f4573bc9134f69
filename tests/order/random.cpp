#include "lacuna/order/random.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "tests/support/statistics_test.hpp"
#include "tests/support/step_fixture.hpp"

namespace {

namespace order = lacuna::order;
namespace pace = lacuna::pace;
using lacuna::testing::choose;
using lacuna::testing::counts_of;
using lacuna::testing::run_to_the_end;
using lacuna::testing::step_fixture;
using positions = std::vector<std::size_t>;

static_assert(lacuna::order_policy<order::random<>>);
static_assert(lacuna::timed_order_policy<order::random<pace::linear>>);
static_assert(!lacuna::timed_order_policy<order::random<>>);
static_assert(lacuna::needs_of<order::random<>> == lacuna::statistics::none);
static_assert(order::random{pace::linear{32}}.at.steps == 32);

TEST_CASE("order::random reveals every set of the wanted size equally often") {
  step_fixture f(4);
  constexpr std::size_t runs = 12000;
  std::vector<std::size_t> counts(6, 0);  // the pairs of four positions
  const auto index = [](std::size_t a, std::size_t b) {
    if (a > b) std::swap(a, b);
    return a == 0 ? b - 1 : a + b;  // 01 02 03 12 13 23
  };
  for (std::size_t run = 0; run < runs; ++run) {
    const auto two = choose(order::random{pace::constant{2}}, f, run);
    REQUIRE(two.size() == 2);
    ++counts[index(two[0], two[1])];
  }
  const double limit = lacuna::testing::chi_square_limit(5);
  CHECK(lacuna::testing::chi_square(counts, std::vector<double>(6, 1 / 6.0)) < limit);
  CHECK(lacuna::testing::chi_square(counts, {0.19, 0.162, 0.162, 0.162, 0.162, 0.162}) > limit);
}

TEST_CASE("order::random keeps its pace") {
  step_fixture f(10);
  CHECK(counts_of(run_to_the_end(order::random{pace::linear{4}}, f)) == positions{3, 2, 3, 2});
  step_fixture g(5);
  CHECK(counts_of(run_to_the_end(order::random{}, g)) == positions(5, 1));
  step_fixture one(1);
  CHECK(counts_of(run_to_the_end(order::random{pace::cosine{9}}, one)) == positions{1});
}

TEST_CASE("order::random refuses a pace that never ends") {
  CHECK_THROWS_AS(order::random{pace::constant{0}}.validate(), lacuna::invalid_argument);
}

}  // namespace
