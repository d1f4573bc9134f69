#include "lacuna/order/threshold.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "lacuna/rank/entropy.hpp"
#include "lacuna/rank/gumbel.hpp"
#include "tests/support/step_fixture.hpp"

namespace {

namespace order = lacuna::order;
namespace rank = lacuna::rank;
using lacuna::testing::choose;
using lacuna::testing::run_to_the_end;
using lacuna::testing::step_fixture;
using positions = std::vector<std::size_t>;

static_assert(lacuna::forgetful_order_policy<order::threshold<>>);
static_assert(lacuna::needs_of<order::threshold<>> == lacuna::statistics::confidence);
static_assert(lacuna::needs_of<order::threshold<rank::entropy>> == lacuna::statistics::entropy);
static_assert(order::threshold{0.7}.tau == 0.7);

TEST_CASE("threshold takes every position that reaches tau") {
  step_fixture f(5);
  f.confidence = {0.95, 0.5, 0.9, 0.89, 1.0};
  CHECK(choose(order::threshold{0.9}, f) == positions{0, 2, 4});
  CHECK(choose(order::threshold{0.0}, f) == positions{0, 1, 2, 3, 4});
}

TEST_CASE("threshold takes the best one if none reaches tau, ties to the lowest position") {
  step_fixture f(4);
  f.confidence = {0.3, 0.5, 0.5, 0.2};
  CHECK(choose(order::threshold{0.9}, f) == positions{1});
  f.confidence = {std::nan(""), 0.1, 0.0, 0.1};
  CHECK(choose(order::threshold{0.9}, f) == positions{1});
}

TEST_CASE("uniform rows under a threshold of .99 take one pass for each position") {
  auto f = step_fixture::from_rows(std::vector<std::vector<double>>(12, std::vector<double>(4, 0.25)));
  const auto steps = run_to_the_end(order::threshold{0.99}, f);
  CHECK(steps.size() == 12);
  for (std::size_t i = 0; i < 12; ++i) CHECK(steps[i] == positions{i});
}

TEST_CASE("threshold on another rank") {
  auto f = step_fixture::from_rows({{0.5, 0.5}, {0.99, 0.01}, {1.0, 0.0}});
  CHECK(choose(order::threshold{-0.1, rank::entropy{}}, f) == positions{1, 2});
}

TEST_CASE("threshold refuses NaN and what its rank refuses") {
  CHECK_NOTHROW(order::threshold{-3.0}.validate());
  CHECK_THROWS_WITH_AS(order::threshold{std::nan("")}.validate(), "order::threshold: tau is NaN, expected a number",
                       lacuna::invalid_argument);
  CHECK_THROWS_AS((order::threshold{0.9, rank::gumbel{-1.0}}.validate()), lacuna::invalid_argument);
}

}  // namespace
