#include "lacuna/core/pace.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

#include "lacuna/core/loop_curve.hpp"

namespace {

namespace pace = lacuna::pace;

static_assert(pace::is_pace<pace::constant>);
static_assert(!pace::is_timed_pace<pace::constant>);
static_assert(pace::is_timed_pace<pace::linear>);
static_assert(pace::is_timed_pace<pace::in_steps<pace::loop_curve>>);

/// How many positions each step reveals, until all are.
template <class Pace>
std::vector<std::size_t> counts(const Pace& p, std::size_t masks) {
  std::vector<std::size_t> n;
  std::size_t done = 0;
  while (done < masks) {
    const std::size_t target = p.target(n.size(), masks);
    REQUIRE(target > done);
    REQUIRE(target <= masks);
    n.push_back(target - done);
    done = target;
  }
  return n;
}

TEST_CASE("16 masks in 8 cosine steps: each reveals at least one, few at first, 16 in all") {
  const auto n = counts(pace::cosine{8}, 16);
  CHECK(n.size() == 8);
  CHECK(std::accumulate(n.begin(), n.end(), std::size_t{0}) == 16);
  CHECK(*std::min_element(n.begin(), n.end()) >= 1);
  CHECK(n.front() < n.back());
}

TEST_CASE("64 masks in 256 steps are 64 steps, whatever the curve") {
  CHECK(counts(pace::linear{256}, 64) == std::vector<std::size_t>(64, 1));
  CHECK(counts(pace::cosine{256}, 64) == std::vector<std::size_t>(64, 1));
}

TEST_CASE("100 masks in 16 linear steps differ by at most one") {
  const auto n = counts(pace::linear{16}, 100);
  CHECK(n.size() == 16);
  const auto [least, most] = std::minmax_element(n.begin(), n.end());
  CHECK(*most - *least <= 1);
}

TEST_CASE("every number of masks in every number of steps comes out even and without idle steps") {
  for (std::size_t masks = 1; masks <= 40; ++masks)
    for (std::size_t steps = 1; steps <= 45; ++steps) {
      const auto linear = counts(pace::linear{steps}, masks);
      CHECK(linear.size() == std::min(steps, masks));
      const auto [least, most] = std::minmax_element(linear.begin(), linear.end());
      CHECK(*most - *least <= 1);
      CHECK(counts(pace::cosine{steps}, masks).size() == std::min(steps, masks));
    }
}

TEST_CASE("a constant pace ends with what is left") {
  CHECK(counts(pace::constant{4}, 10) == std::vector<std::size_t>{4, 4, 2});
  CHECK(counts(pace::constant{99}, 10) == std::vector<std::size_t>{10});
  CHECK(counts(pace::constant{3}, 9) == std::vector<std::size_t>{3, 3, 3});
  const std::size_t half = std::numeric_limits<std::size_t>::max() / 2 + 1;  // twice that is 0
  for (const std::size_t step : {0U, 1U, 2U}) CHECK(pace::constant{half}.target(step, 10) == 10);
}

TEST_CASE("paces that never end are refused") {
  CHECK_THROWS_WITH_AS(pace::constant{0}.validate(), "pace::constant: k = 0, expected at least 1 position a step",
                       lacuna::invalid_argument);
  CHECK_THROWS_WITH_AS(pace::linear{0}.validate(), "pace: steps = 0, expected at least 1", lacuna::invalid_argument);
  CHECK_THROWS_AS((pace::in_steps<pace::loop_curve>{8, {0.1, 0.5, 0.9}}.validate()), lacuna::invalid_argument);
}

}  // namespace
