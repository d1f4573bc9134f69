#include "lacuna/likelihood/reveal_path.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <string>

#include "lacuna/likelihood/at_least_one.hpp"
#include "lacuna/likelihood/renormalised.hpp"
#include "lacuna/likelihood/softmax_share.hpp"
#include "tests/support/order_fixture.hpp"

namespace {

using namespace lacuna;
using namespace lacuna::likelihood;

const std::vector<double> scores{0.4, -2, 1.5, 0, 0.7, 3};
const std::vector<std::size_t> masked{0, 2, 4, 5};

}  // namespace

TEST_CASE("a path reveals every masked position once, the last step of the budget all that is left") {
  for (std::size_t seed = 0; seed < 200; ++seed)
    for (const std::size_t budget : std::array<std::size_t, 4>{1, 2, 3, 9}) {
      random_stream rng{seed, stream_use::other};
      const auto check = [&](const auto& q) {
        const reveal_path path = draw_path(q, scores, masked, budget, rng);
        REQUIRE(path.steps() <= budget);
        std::vector<std::size_t> left = masked;
        for (std::size_t t = 0; t < path.steps(); ++t) {
          CHECK(std::equal(left.begin(), left.end(), path.masked(t).begin(), path.masked(t).end()));
          std::vector<std::size_t> rest;
          for (std::size_t k = 0; k < left.size(); ++k)
            if (path.revealed(t)[k] == 0) rest.push_back(left[k]);
          left = rest;
        }
        CHECK(left.empty());
      };
      check(renormalised{0.5});
      check(softmax_share{});
      check(at_least_one{});
    }
}

TEST_CASE("renormalised: a small tau reveals one at a time in the order of scores, a large one or equal scores all at once") {
  random_stream rng{1, stream_use::other};
  const reveal_path slow = draw_path(renormalised{1e-3}, scores, masked, 9, rng);
  REQUIRE(slow.steps() == 4);
  std::vector<std::size_t> came;
  for (std::size_t t = 0; t < 4; ++t)
    for (std::size_t k = 0; k < slow.masked(t).size(); ++k)
      if (slow.revealed(t)[k] != 0) came.push_back(slow.masked(t)[k]);
  CHECK(came == std::vector<std::size_t>{5, 2, 4, 0});
  std::size_t at_once = 0;
  for (std::size_t n = 0; n < 1000; ++n) {
    at_once += draw_path(renormalised{1e3}, scores, masked, 9, rng).steps() == 1 ? 1 : 0;
    at_once += draw_path(renormalised{}, std::vector<double>(6, 0.25), masked, 9, rng).steps() == 1 ? 1 : 0;
  }
  CHECK(at_once > 1980);  // each of three others fails one time in a thousand
}

TEST_CASE("draws follow the probabilities that a posterior says") {
  const order_test::sequence s;
  const auto check = [&](const auto& q) {
    std::map<std::string, double> expected;
    const auto name = [](const reveal_path& p) {
      std::string all;
      for (std::size_t t = 0; t < p.steps(); ++t) {
        for (const auto f : p.revealed(t)) all += f != 0 ? '1' : '0';
        all += '/';
      }
      return all;
    };
    for (const auto& one : s.all_paths(3)) expected[name(one.path)] = std::exp(log_posterior(q, s.scores, one.path));
    constexpr std::size_t draws = 20000;
    std::map<std::string, double> found;
    for (std::size_t n = 0; n < draws; ++n) {
      random_stream rng{2, stream_use::other, n};
      found[name(draw_path(q, s.scores, std::vector<std::size_t>{0, 1, 2}, 3, rng))] += 1.0 / draws;
    }
    double total = 0;
    for (const auto& [path, p] : expected) {
      total += p;
      CHECK(std::abs(found[path] - p) < 5 * std::sqrt(p * (1 - p) / draws) + 1e-4);
    }
    CHECK(std::abs(total - 1) < 1e-9);
  };
  check(renormalised{0.4});
  check(softmax_share{0.7, 0.5});
  check(at_least_one{0.2});
  check(at_least_one{-0.0 + 0.05});  // most steps would reveal none
}

TEST_CASE("a path that cannot be drawn is refused") {
  random_stream rng{1, stream_use::other};
  CHECK_THROWS_AS(draw_path(renormalised{}, scores, masked, 0, rng), invalid_argument);
  CHECK_THROWS_AS(draw_path(renormalised{}, scores, std::vector<std::size_t>{}, 2, rng), invalid_argument);
  CHECK_THROWS_AS(draw_path(renormalised{}, scores, std::vector<std::size_t>{6}, 2, rng), invalid_argument);
  std::vector<double> bad = scores;
  bad[2] = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_WITH_AS(draw_path(renormalised{}, bad, masked, 2, rng),
                       "likelihood::draw_path: the score of position 2 is nan, expected a finite number", invalid_argument);
  CHECK_THROWS_AS(renormalised{0}.validate(), invalid_argument);
  CHECK_THROWS_AS(softmax_share{-1}.validate(), invalid_argument);
  CHECK_THROWS_AS(at_least_one{std::numeric_limits<double>::infinity()}.validate(), invalid_argument);
}
