#include "lacuna/draw/categorical.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "tests/support/draw_fixture.hpp"
#include "tests/support/statistics_test.hpp"

namespace {

using lacuna::draw::categorical;
using lacuna::testing::chi_square;
using lacuna::testing::chi_square_limit;
using lacuna::testing::draw_from;
using lacuna::testing::draws_of;
using lacuna::testing::row_of;
using lacuna::testing::row_of_logits;

static_assert(lacuna::draw_policy<categorical>);
static_assert(categorical{}.temperature == 1);

constexpr double infinity = std::numeric_limits<double>::infinity();
const std::vector<double> shares{0.45, 0.3, 0.0, 0.2, 0.05};
constexpr std::size_t runs = 20000;

TEST_CASE("draw::categorical draws each token as often as the row says") {
  const auto counts = draws_of(categorical{}, row_of(shares), runs);
  const double limit = chi_square_limit(3);
  CHECK(chi_square(counts, shares) < limit);
  CHECK(counts[2] == 0);
  CHECK(chi_square(counts, {0.43, 0.32, 0.0, 0.2, 0.05}) > limit);  // two points off are seen
}

TEST_CASE("a temperature raises the probabilities to the power 1 / T") {
  for (const double t : {0.5, 2.0}) {
    std::vector<double> expected;
    double z = 0;
    for (const double p : shares) z += std::pow(p, 1 / t);
    for (const double p : shares) expected.push_back(std::pow(p, 1 / t) / z);
    const auto counts = draws_of(categorical{t}, row_of(shares), runs);
    CHECK(chi_square(counts, expected) < chi_square_limit(3));
    CHECK(chi_square(counts, shares) > chi_square_limit(3));
  }
}

TEST_CASE("temperature 0 is argmax, ties to the lowest id") {
  CHECK(draws_of(categorical{0}, row_of(shares), 100)[0] == 100);
  CHECK(draws_of(categorical{0}, row_of({0.1, 0.45, 0.45}), 100)[1] == 100);
  CHECK(draws_of(categorical{1e-320}, row_of({0.1, 0.44, 0.46}), 100)[2] == 100);  // too small to divide by
}

TEST_CASE("infinite temperature is uniform over the tokens that have mass") {
  const std::vector<double> uniform{0.25, 0.25, 0.0, 0.25, 0.25};
  CHECK(chi_square(draws_of(categorical{infinity}, row_of(shares), runs), uniform) < chi_square_limit(3));
  CHECK(chi_square(draws_of(categorical{1e300}, row_of(shares), runs), uniform) < chi_square_limit(3));
  // however little mass that is
  CHECK(chi_square(draws_of(categorical{infinity}, row_of({1.0, 1e-300, 0.0}), runs), {0.5, 0.5, 0.0}) < chi_square_limit(1));
}

TEST_CASE("a token without mass is never drawn, even at the end of the row") {
  const std::vector<double> one{0.0, 1.0, 0.0};
  for (const double t : {0.0, 0.5, 1.0, 3.0, infinity}) CHECK(draws_of(categorical{t}, row_of(one), 1000)[1] == 1000);
  CHECK(draw_from(categorical{}, row_of({1.0})) == 0);
}

TEST_CASE("logits near plus and minus 700 are drawn from without overflow") {
  for (const double t : {0.01, 1.0, 1e6}) {
    const auto counts = draws_of(categorical{t}, row_of_logits({700, 700, -700}), runs);
    const std::vector<double> halves =
        t > 1000 ? std::vector<double>{1 / 3.0, 1 / 3.0, 1 / 3.0} : std::vector<double>{0.5, 0.5, 0.0};
    CHECK(chi_square(counts, halves) < chi_square_limit(2));
  }
}

TEST_CASE("rare tokens of a large row keep their share") {
  // half of the mass is spread over 50000 tokens of 1e-5 each
  std::vector<double> p(50001, 1e-5);
  p[0] = 0.5;
  const auto row = row_of(p);
  const auto counts = draws_of(categorical{}, row, 1000);
  const double rare = 1 - static_cast<double>(counts[0]) / 1000;
  CHECK(std::abs(rare - 0.5) < lacuna::testing::four_sigma(0.25, 1000));
}

TEST_CASE("a draw takes one uniform number and gives the same token again") {
  CHECK(draw_from(categorical{}, row_of(shares), 7) == draw_from(categorical{}, row_of(shares), 7));
  lacuna::random_stream rng(7, lacuna::stream_use::draw);
  auto reference = rng;
  auto row = row_of(shares);
  const lacuna::token t = categorical{}.draw(row, rng);
  const double u = reference.uniform();
  CHECK(rng.bits() == reference.bits());
  CHECK(t == (u < 0.45 ? 0 : u < 0.75 ? 1 : u < 0.95 ? 3 : 4));
}

TEST_CASE("draw::categorical refuses negative and NaN temperatures") {
  CHECK_NOTHROW(categorical{0}.validate());
  CHECK_NOTHROW(categorical{infinity}.validate());
  CHECK_THROWS_AS(categorical{std::nan("")}.validate(), lacuna::invalid_argument);
  CHECK_THROWS_WITH_AS(categorical{-1}.validate(),
                       "draw::categorical: temperature = -1.000000, expected at least 0 (0 is argmax, infinity uniform)",
                       lacuna::invalid_argument);
}

}  // namespace
