#include "lacuna/order/ancestral.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "tests/support/statistics_test.hpp"
#include "tests/support/step_fixture.hpp"

namespace {

namespace order = lacuna::order;
namespace pace = lacuna::pace;
using lacuna::testing::chi_square;
using lacuna::testing::chi_square_limit;
using lacuna::testing::choose;
using lacuna::testing::run_to_the_end;
using lacuna::testing::step_fixture;

static_assert(lacuna::order_policy<order::ancestral<>>);
static_assert(lacuna::timed_order_policy<order::ancestral<pace::cosine_curve>>);
static_assert(lacuna::needs_of<order::ancestral<>> == lacuna::statistics::none);
static_assert(order::ancestral{128}.steps == 128);
static_assert(order::ancestral<pace::cosine_curve>{.steps = 7}.steps == 7);

double binomial(std::size_t n, std::size_t k, double p) {
  const auto x = [](std::size_t i) { return static_cast<double>(i); };
  return std::exp(std::lgamma(x(n) + 1) - std::lgamma(x(k) + 1) - std::lgamma(x(n - k) + 1) + x(k) * std::log(p) +
                  x(n - k) * std::log1p(-p));
}

/// The grid step in which each of `masks` positions was revealed, over many runs: a table [steps] of counts.
template <class Curve>
std::vector<std::size_t> reveal_steps(const order::ancestral<Curve>& p, std::size_t masks, std::size_t runs) {
  std::vector<std::size_t> counts(p.steps, 0);
  for (std::size_t run = 0; run < runs; ++run) {
    step_fixture f(masks);
    typename order::ancestral<Curve>::memory memory;
    while (f.sequence.count(lacuna::cell::masked) > 0) {
      const auto chosen = choose(p, f, memory, run);
      REQUIRE(!chosen.empty());
      counts[memory.index - 1] += chosen.size();
      for (const std::size_t i : chosen) f.sequence.commit(i, 0);
      ++f.step;
    }
  }
  return counts;
}

TEST_CASE("a position is revealed at each grid step as often as the curve says") {
  // positions are independent, so the counts of all positions are multinomial
  const auto linear = reveal_steps(order::ancestral{5}, 4, 4000);
  CHECK(chi_square(linear, std::vector<double>(5, 0.2)) < chi_square_limit(4));

  const auto cosine = reveal_steps(order::ancestral{5, pace::cosine_curve{}}, 4, 4000);
  std::vector<double> expected;
  for (std::size_t i = 0; i < 5; ++i)
    expected.push_back(pace::cosine_curve::revealed(static_cast<double>(i + 1) / 5) -
                       pace::cosine_curve::revealed(static_cast<double>(i) / 5));
  CHECK(chi_square(cosine, expected) < chi_square_limit(4));
  CHECK(chi_square(cosine, std::vector<double>(5, 0.2)) > chi_square_limit(4));
}

TEST_CASE("the number revealed in a step is binomial, given that it is not zero") {
  constexpr std::size_t runs = 20000;
  constexpr std::size_t masks = 6;
  std::vector<std::size_t> counts(masks + 1, 0);
  const order::ancestral p{10};
  for (std::size_t run = 0; run < runs; ++run) {
    step_fixture f(masks);
    ++counts[choose(p, f, run).size()];
  }
  // From the first step of the ten that reveals any: step i has rate 1 / (10 - i), given that none was revealed before.
  std::vector<double> expected(masks + 1, 0.0);
  double none = 1;
  for (std::size_t i = 0; i < 10; ++i) {
    const double rate = 1 / static_cast<double>(10 - i);
    for (std::size_t k = 1; k <= masks; ++k)
      expected[k] += none * (rate < 1 ? binomial(masks, k, rate) : (k == masks ? 1.0 : 0.0));
    none *= std::pow(1 - rate, masks);
  }
  CHECK(chi_square(counts, expected) < chi_square_limit(masks - 1));
  // revealing the expected number, one at least, is another law
  CHECK(counts[1] < runs);
  std::vector<double> wrong(masks + 1, 0.0);
  for (std::size_t k = 1; k <= masks; ++k) wrong[k] = binomial(masks, k, 0.2) / (1 - std::pow(0.8, masks));
  CHECK(chi_square(counts, wrong) > chi_square_limit(masks - 1));
}

TEST_CASE("step rates of a thousandth and less are kept") {
  constexpr std::size_t steps = 100000;
  constexpr std::size_t runs = 4000;
  // the grid step at which a lone position is revealed is uniform on the grid
  std::vector<std::size_t> tenths(10, 0);
  for (std::size_t run = 0; run < runs; ++run) {
    step_fixture f(1);
    order::ancestral<>::memory memory;
    CHECK(choose(order::ancestral{steps}, f, memory, run).size() == 1);
    ++tenths[(memory.index - 1) / (steps / 10)];
  }
  CHECK(chi_square(tenths, std::vector<double>(10, 0.1)) < chi_square_limit(9));
}

TEST_CASE("ancestral takes at most min(steps, masks) passes") {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    step_fixture many(64);
    CHECK(run_to_the_end(order::ancestral{8}, many, seed).size() <= 8);
    step_fixture few(5);
    CHECK(run_to_the_end(order::ancestral{1000}, few, seed).size() <= 5);
    step_fixture all(9);
    CHECK(run_to_the_end(order::ancestral{1}, all, seed).size() == 1);
  }
}

TEST_CASE("with remasking ancestral keeps to the grid and reveals correspondingly more") {
  constexpr std::size_t masks = 40;
  constexpr std::size_t runs = 2000;
  const order::ancestral p{4};
  std::size_t revealed = 0;
  std::size_t at_plain_rate = 0;
  for (std::size_t run = 0; run < runs; ++run) {
    step_fixture f(masks);
    order::ancestral<>::memory memory;
    f.step = 2;
    f.time = p.time(f.view(), memory);
    CHECK(f.time.revealed_now == 0.5);
    CHECK(f.time.revealed_next == 0.75);
    CHECK(f.time.remaining == 1);
    CHECK(f.time.elapsed == 0.5);
    at_plain_rate += choose(p, f, memory, run).size();
    f.remask_rate = 0.2;
    revealed += choose(p, f, memory, run).size();
  }
  // (0.75 − 0.8 · 0.5) / 0.5 = 0.7, and 0.5 without remasking
  const double n = masks * runs;
  const double tolerance = lacuna::testing::four_sigma(0.25, masks * runs);
  CHECK(std::abs(static_cast<double>(revealed) / n - 0.7) < tolerance);
  CHECK(std::abs(static_cast<double>(at_plain_rate) / n - 0.5) < tolerance);
}

TEST_CASE("with remasking a step may reveal nothing, and the last one reveals all") {
  const order::ancestral p{1000};
  order::ancestral<>::memory memory;
  std::size_t idle = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    step_fixture f(2);
    f.time = p.time(f.view(), memory);
    idle += choose(p, f, memory, seed).empty() ? 1 : 0;
    f.step = 999;
    f.time = p.time(f.view(), memory);
    CHECK(f.time.remaining == 0);
    CHECK(choose(p, f, memory, seed).size() == 2);
  }
  CHECK(idle > 90);
}

TEST_CASE("ancestral refuses zero steps") {
  CHECK_NOTHROW(order::ancestral{1}.validate());
  CHECK_THROWS_WITH_AS(order::ancestral{0}.validate(), "order::ancestral: steps = 0, expected at least 1",
                       lacuna::invalid_argument);
}

}  // namespace
