#include "lacuna/order/entropy_bound.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "lacuna/rank/confidence.hpp"
#include "lacuna/rank/gumbel.hpp"
#include "lacuna/rank/margin.hpp"
#include "tests/support/step_fixture.hpp"

namespace {

namespace order = lacuna::order;
namespace rank = lacuna::rank;
using lacuna::testing::choose;
using lacuna::testing::run_to_the_end;
using lacuna::testing::step_fixture;
using positions = std::vector<std::size_t>;

static_assert(lacuna::order_policy<order::entropy_bound<>>);
static_assert(lacuna::needs_of<order::entropy_bound<>> == lacuna::statistics::entropy);
static_assert(lacuna::needs_of<order::entropy_bound<rank::margin>> ==
              (lacuna::statistics::entropy | lacuna::statistics::margin));
static_assert(order::entropy_bound{0.2}.gamma == 0.2);
static_assert(order::entropy_bound<>{.gamma = 0.2}.gamma == 0.2);

TEST_CASE("entropy_bound takes the longest prefix with sum H - max H at most gamma") {
  step_fixture f(5);
  f.entropy = {0.4, 0.1, 0.3, 0.2, 1.0};
  // sorted .1 .2 .3 .4 1.0: sums without the largest 0, .1, .3, .6, 1.0
  CHECK(choose(order::entropy_bound{0.05}, f) == positions{1});
  CHECK(choose(order::entropy_bound{0.11}, f) == positions{1, 3});
  CHECK(choose(order::entropy_bound{0.31}, f) == positions{1, 3, 2});
  CHECK(choose(order::entropy_bound{0.61}, f) == positions{1, 3, 2, 0});
  CHECK(choose(order::entropy_bound{1.01}, f) == positions{1, 3, 2, 0, 4});
}

TEST_CASE("sorted by another rank the largest entropy may come first") {
  step_fixture f(4);
  f.entropy = {0.5, 0.1, 0.3, 0.2};
  f.confidence = {0.9, 0.8, 0.7, 0.6};
  // in the order of positions: sums without the largest 0, .1, .4, .6
  const auto with = [&](double gamma) { return choose(order::entropy_bound{gamma, rank::confidence{}}, f).size(); };
  CHECK(with(0.09) == 1);
  CHECK(with(0.11) == 2);
  CHECK(with(0.41) == 3);
  CHECK(with(0.61) == 4);
}

TEST_CASE("entropy_bound agrees with the formula tried for every prefix") {
  lacuna::random_stream rng(4, lacuna::stream_use::other);
  for (std::size_t trial = 0; trial < 200; ++trial) {
    step_fixture f(9);
    f.entropy.clear();
    f.margin.clear();
    for (std::size_t i = 0; i < 9; ++i) {
      f.entropy.push_back(rng.uniform());
      f.margin.push_back(rng.uniform());
    }
    std::vector<std::size_t> sorted(9);
    for (std::size_t i = 0; i < 9; ++i) sorted[i] = i;
    std::sort(sorted.begin(), sorted.end(), [&](std::size_t a, std::size_t b) { return f.margin[a] > f.margin[b]; });
    std::size_t longest = 1;
    for (std::size_t n = 1; n <= 9; ++n) {
      double sum = 0;
      double most = 0;
      for (std::size_t i = 0; i < n; ++i) {
        sum += f.entropy[sorted[i]];
        most = std::max(most, f.entropy[sorted[i]]);
      }
      if (sum - most <= 0.7) longest = n;
    }
    CHECK(choose(order::entropy_bound{0.7, rank::margin{}}, f).size() == longest);
  }
}

TEST_CASE("with gamma 0 only certain positions come together") {
  auto f = step_fixture::from_rows({{0.5, 0.5}, {1.0, 0.0}, {0.9, 0.1}, {0.0, 1.0}});
  const auto steps = run_to_the_end(order::entropy_bound{0.0}, f);
  REQUIRE(steps.size() == 2);
  CHECK(steps[0] == positions{1, 3, 2});  // two without entropy, and with them the first that has some
  CHECK(steps[1] == positions{0});
}

TEST_CASE("uniform rows are ties: lowest positions first") {
  auto f = step_fixture::from_rows(std::vector<std::vector<double>>(5, std::vector<double>(4, 0.25)));
  CHECK(choose(order::entropy_bound{1.5}, f) == positions{0, 1});  // log 4 = 1.386 is below 1.5, twice that is not
  CHECK(run_to_the_end(order::entropy_bound{0.1}, f).size() == 5);
}

TEST_CASE("entropy_bound refuses a negative or NaN gamma and what its rank refuses") {
  CHECK_NOTHROW(order::entropy_bound{0.0}.validate());
  CHECK_THROWS_WITH_AS(order::entropy_bound{-0.5}.validate(),
                       "order::entropy_bound: gamma = -0.500000 nats, expected at least 0", lacuna::invalid_argument);
  CHECK_THROWS_AS(order::entropy_bound{std::nan("")}.validate(), lacuna::invalid_argument);
  CHECK_THROWS_AS((order::entropy_bound{0.1, rank::gumbel{-1.0}}.validate()), lacuna::invalid_argument);
}

}  // namespace
