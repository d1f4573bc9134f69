#include "lacuna/draw/top_p.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "lacuna/draw/argmax.hpp"
#include "lacuna/draw/top_k.hpp"
#include "tests/support/draw_fixture.hpp"
#include "tests/support/statistics_test.hpp"

namespace {

namespace draw = lacuna::draw;
using lacuna::testing::draws_of;
using lacuna::testing::passed_on;
using lacuna::testing::row_of;
using lacuna::testing::row_of_logits;

static_assert(lacuna::draw_policy<draw::top_p<>>);
static_assert(lacuna::draw_policy<draw::top_k<draw::top_p<draw::argmax>>>);
static_assert(draw::top_p{0.5}.p == 0.5);

std::vector<double> kept_logits(double p, const std::vector<double>& log_p) {
  return passed_on([p](auto inner) { return draw::top_p{p, inner}; }, log_p);
}
std::vector<double> kept(double p, const std::vector<double>& shares) { return kept_logits(p, row_of(shares)); }

TEST_CASE("draw::top_p keeps the smallest set that holds the mass") {
  const std::vector<double> shares{0.1, 0.4, 0.2, 0.3};
  CHECK(kept(0.3, shares) == std::vector<double>{0, 1, 0, 0});
  const auto two = kept(0.65, shares);
  CHECK(two[0] == 0);
  CHECK(two[1] == doctest::Approx(4 / 7.0));
  CHECK(two[2] == 0);
  CHECK(two[3] == doctest::Approx(3 / 7.0));
  const auto three = kept(0.75, shares);
  CHECK(three[0] == 0);
  CHECK(three[2] == doctest::Approx(2 / 9.0));
  CHECK(kept(0.95, shares)[0] == doctest::Approx(0.1));
}

TEST_CASE("draw::top_p keeps at least one token, and all of them at p = 1") {
  CHECK(kept(0, {0.3, 0.4, 0.3}) == std::vector<double>{0, 1, 0});
  CHECK(kept(1e-9, {0.5, 0.5}) == std::vector<double>{1, 0});
  CHECK(kept(1, {1 - 1e-12, 1e-12, 0.0})[1] == doctest::Approx(1e-12));
  CHECK(kept(0.9, {1.0}) == std::vector<double>{1});
  CHECK(kept(1 - 1e-16, {0.0, 0.9, 0.1})[2] == doctest::Approx(0.1));  // closer to 1 than sums of probabilities can be told
}

TEST_CASE("draw::top_p keeps the lowest ids of equally likely tokens") {
  const auto half = kept(0.5, {0.25, 0.25, 0.25, 0.25});
  CHECK(half[0] == doctest::Approx(0.5));
  CHECK(half[1] == doctest::Approx(0.5));
  CHECK(half[2] == 0);
  CHECK(half[3] == 0);
}

TEST_CASE("draw::top_p does with logits near plus and minus 700") {
  const auto row = kept_logits(0.9, row_of_logits({700, -700, 700, 0}));
  CHECK(row[0] == doctest::Approx(0.5));
  CHECK(row[2] == doctest::Approx(0.5));
  CHECK(row[1] == 0);
  CHECK(row[3] == 0);
}

TEST_CASE("draw::top_p draws from the nucleus as the row says") {
  const auto counts = draws_of(draw::top_p{0.65}, row_of({0.1, 0.4, 0.2, 0.3}), 20000);
  const double limit = lacuna::testing::chi_square_limit(1);
  CHECK(lacuna::testing::chi_square(counts, {0, 4 / 7.0, 0, 3 / 7.0}) < limit);
  CHECK(lacuna::testing::chi_square(counts, {0, 0.6, 0, 0.4}) > limit);
}

TEST_CASE("filters stack: the nucleus of the two best tokens") {
  const auto row = passed_on([](auto inner) { return draw::top_k{2, draw::top_p{0.56, inner}}; }, row_of({0.1, 0.4, 0.2, 0.3}));
  CHECK(row == std::vector<double>{0, 1, 0, 0});  // 4/7 of the two best is enough; of all four it would not be
}

TEST_CASE("draw::top_p refuses what is no probability and asks what it wraps") {
  CHECK_NOTHROW(draw::top_p{0.0}.validate());
  CHECK_NOTHROW(draw::top_p{1.0}.validate());
  CHECK_THROWS_WITH_AS(draw::top_p{1.5}.validate(), "draw::top_p: p = 1.500000, expected a probability, 0 to 1",
                       lacuna::invalid_argument);
  CHECK_THROWS_AS(draw::top_p{-0.1}.validate(), lacuna::invalid_argument);
  CHECK_THROWS_AS(draw::top_p{std::nan("")}.validate(), lacuna::invalid_argument);
  CHECK_THROWS_AS((draw::top_p{0.9, draw::categorical{-1}}.validate()), lacuna::invalid_argument);
}

}  // namespace
