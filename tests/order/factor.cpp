#include "lacuna/order/factor.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "tests/support/step_fixture.hpp"

namespace {

using lacuna::order::factor;
using lacuna::testing::choose;
using lacuna::testing::run_to_the_end;
using lacuna::testing::step_fixture;
using positions = std::vector<std::size_t>;

static_assert(lacuna::order_policy<factor>);
static_assert(lacuna::needs_of<factor> == lacuna::statistics::confidence);
static_assert(factor{.f = 0.5}.f == 0.5);

TEST_CASE("factor takes the largest n with (n + 1)(1 - c_(n)) < f") {
  step_fixture f(5);
  f.confidence = {0.7, 0.99, 0.9, 0.95, 0.8};
  // sorted .99 .95 .9 .8 .7 -> 0.02, 0.15, 0.4, 1.0, 1.8
  CHECK(choose(factor{0.01}, f) == positions{1});
  CHECK(choose(factor{0.16}, f) == positions{1, 3});
  CHECK(choose(factor{0.5}, f) == positions{1, 3, 2});
  CHECK(choose(factor{1.01}, f) == positions{1, 3, 2, 4});
  CHECK(choose(factor{2.0}, f) == positions{1, 3, 2, 4, 0});
}

TEST_CASE("factor agrees with the formula tried for every n") {
  lacuna::random_stream rng(3, lacuna::stream_use::other);
  for (std::size_t trial = 0; trial < 200; ++trial) {
    step_fixture f(8);
    f.confidence.clear();
    for (std::size_t i = 0; i < 8; ++i) f.confidence.push_back(1 - 0.5 * rng.uniform() * rng.uniform());
    auto sorted = f.confidence;
    std::sort(sorted.begin(), sorted.end(), std::greater<>());
    std::size_t largest = 1;
    for (std::size_t n = 1; n <= 8; ++n)
      if (static_cast<double>(n + 1) * (1 - sorted[n - 1]) < 0.6) largest = n;
    CHECK(choose(factor{0.6}, f).size() == largest);
  }
}

TEST_CASE("factor takes at least one, and certain positions come free") {
  auto uniform = step_fixture::from_rows(std::vector<std::vector<double>>(6, std::vector<double>(4, 0.25)));
  CHECK(run_to_the_end(factor{1.0}, uniform).size() == 6);
  step_fixture f(4);
  f.confidence = {1.0, 0.5, 1.0, 1.0};
  CHECK(choose(factor{1e-9}, f) == positions{0, 2, 3});
  CHECK(choose(factor{0.0}, f) == positions{0});
}

TEST_CASE("factor refuses what is negative or NaN") {
  CHECK_NOTHROW(factor{0}.validate());
  CHECK_THROWS_WITH_AS(factor{-1}.validate(), "order::factor: f = -1.000000, expected at least 0", lacuna::invalid_argument);
  CHECK_THROWS_AS(factor{std::nan("")}.validate(), lacuna::invalid_argument);
}

}  // namespace
