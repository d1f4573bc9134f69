#include "lacuna/rank/gumbel.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "lacuna/rank/confidence.hpp"
#include "lacuna/rank/entropy.hpp"
#include "lacuna/rank/margin.hpp"
#include "tests/support/statistics_test.hpp"
#include "tests/support/step_fixture.hpp"

namespace {

namespace rank = lacuna::rank;
using lacuna::testing::step_fixture;

static_assert(lacuna::rank_policy<rank::gumbel<>>);
static_assert(lacuna::needs_of<rank::gumbel<>> == lacuna::statistics::none);
static_assert(lacuna::needs_of<rank::gumbel<rank::entropy>> == lacuna::statistics::entropy);
constexpr rank::gumbel around_confidence{0.5, rank::confidence{}};
static_assert(lacuna::needs_of<decltype(around_confidence)> == lacuna::statistics::confidence);
static_assert(rank::gumbel{4.5}.temperature == 4.5);

const std::vector<double> shares{0.5, 0.25, 0.15, 0.1};

step_fixture with_shares() {
  step_fixture f(4);
  for (std::size_t i = 0; i < 4; ++i) f.drawn_log_probability[i] = std::log(shares[i]);
  f.confidence = shares;
  return f;
}

/// How often each candidate is the best.
template <class R>
std::vector<std::size_t> winners(const R& r, const lacuna::step_view& view, std::size_t runs) {
  std::vector<std::size_t> count(view.size(), 0);
  for (std::size_t run = 0; run < runs; ++run) {
    const lacuna::step_random rng{run, lacuna::stream_use::order, 0, 0};
    std::size_t top = 0;
    for (std::size_t k = 1; k < view.size(); ++k)
      if (r(view, k, rng) > r(view, top, rng)) top = k;
    ++count[top];
  }
  return count;
}

TEST_CASE("the best candidate under Gumbel noise is a draw from the softmax of score / temperature") {
  auto f = with_shares();
  const auto view = f.view();
  constexpr std::size_t runs = 20000;
  const double limit = lacuna::testing::chi_square_limit(3);

  const auto at_one = winners(rank::gumbel{1.0}, view, runs);
  CHECK(lacuna::testing::chi_square(at_one, shares) < limit);

  double z = 0;
  for (const double p : shares) z += std::sqrt(p);
  std::vector<double> flatter;
  for (const double p : shares) flatter.push_back(std::sqrt(p) / z);
  CHECK(lacuna::testing::chi_square(winners(rank::gumbel{2.0}, view, runs), flatter) < limit);
  CHECK(lacuna::testing::chi_square(at_one, flatter) > limit);  // the temperature is seen
}

TEST_CASE("probabilities enter Gumbel noise by their logarithm") {
  auto f = with_shares();
  const auto view = f.view();
  const lacuna::step_random rng{3, lacuna::stream_use::order, 0, 0};
  constexpr rank::gumbel of_probability{1.0, rank::confidence{}};
  constexpr rank::gumbel of_logarithm{1.0};
  for (std::size_t k = 0; k < 4; ++k) CHECK(of_probability(view, k, rng) == doctest::Approx(of_logarithm(view, k, rng)));
}

TEST_CASE("Gumbel noise of temperature 0 is the rank itself") {
  auto f = with_shares();
  const auto view = f.view();
  const lacuna::step_random rng{3, lacuna::stream_use::order, 0, 0};
  constexpr rank::gumbel of_probability{0.0, rank::confidence{}};
  constexpr rank::gumbel of_logarithm{0.0};
  for (std::size_t k = 0; k < 4; ++k) {
    CHECK(of_logarithm(view, k, rng) == f.drawn_log_probability[k]);
    CHECK(of_probability(view, k, rng) == shares[k]);
  }
}

TEST_CASE("temperatures .01 and 1e6 keep the order and forget it") {
  auto f = with_shares();
  const auto view = f.view();
  CHECK(winners(rank::gumbel{0.01}, view, 1000)[0] == 1000);  // scores are at least log 2 = 69 noise scales apart
  const auto forgotten = winners(rank::gumbel{1e6}, view, 20000);
  CHECK(lacuna::testing::chi_square(forgotten, {0.25, 0.25, 0.25, 0.25}) < lacuna::testing::chi_square_limit(3));
}

TEST_CASE("with one mask left any temperature gives a finite score") {
  step_fixture f(1);
  f.drawn_log_probability[0] = std::log(1e-300);
  const auto view = f.view();
  for (const double t : {0.0, 0.01, 1.0, 1e6})
    CHECK(std::isfinite(rank::gumbel{t}(view, 0, {1, lacuna::stream_use::order, 0, 0})));
}

TEST_CASE("rank::gumbel refuses negative, infinite and NaN temperatures") {
  CHECK_NOTHROW(rank::gumbel{0.0}.validate());
  CHECK_NOTHROW(rank::gumbel{1e6}.validate());
  for (const double t : {-0.1, std::numeric_limits<double>::infinity(), std::nan("")})
    CHECK_THROWS_AS(rank::gumbel{t}.validate(), lacuna::invalid_argument);
  CHECK_THROWS_WITH_AS(rank::gumbel{-2.0}.validate(), "rank::gumbel: temperature = -2.000000, expected finite and at least 0",
                       lacuna::invalid_argument);
  CHECK_THROWS_AS((rank::gumbel{1.0, rank::gumbel{-1.0}}.validate()), lacuna::invalid_argument);  // the inner one is asked
}

}  // namespace

TEST_CASE("huge noise on scores of probability 0 is still random, not an order of positions") {
  step_fixture f(4);
  f.margin.assign(4, 0.0);
  std::size_t first = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const lacuna::step_random rng{seed, lacuna::stream_use::order, 0, 0};
    const rank::gumbel<rank::margin> noisy{1e6, {}};
    std::size_t best = 0;
    for (std::size_t k = 1; k < 4; ++k)
      if (noisy(f.view(), k, rng) > noisy(f.view(), best, rng)) best = k;
    first += best == 0 ? 1U : 0U;
  }
  CHECK(first > 20);  // 50 expected, standard deviation 6
  CHECK(first < 80);
}
