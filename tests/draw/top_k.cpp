#include "lacuna/draw/top_k.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "lacuna/core/random.hpp"
#include "lacuna/draw/argmax.hpp"
#include "tests/support/draw_fixture.hpp"
#include "tests/support/statistics_test.hpp"

namespace {

namespace draw = lacuna::draw;
using lacuna::testing::draws_of;
using lacuna::testing::passed_on;
using lacuna::testing::row_of;

static_assert(lacuna::draw_policy<draw::top_k<>>);
static_assert(lacuna::draw_policy<draw::top_k<draw::top_k<draw::argmax>>>);
static_assert(draw::top_k{3}.k == 3);

std::vector<double> kept(std::size_t k, const std::vector<double>& p) {
  return passed_on([k](auto inner) { return draw::top_k{k, inner}; }, row_of(p));
}

TEST_CASE("draw::top_k keeps the k most likely tokens, normalised") {
  const auto two = kept(2, {0.1, 0.4, 0.3, 0.2});
  CHECK(two[0] == 0);
  CHECK(two[1] == doctest::Approx(4 / 7.0));
  CHECK(two[2] == doctest::Approx(3 / 7.0));
  CHECK(two[3] == 0);
  CHECK(kept(1, {0.1, 0.4, 0.3, 0.2}) == std::vector<double>{0, 1, 0, 0});
}

TEST_CASE("draw::top_k keeps the lowest ids of equally likely tokens") {
  const auto three = kept(3, {0.2, 0.1, 0.2, 0.3, 0.2});
  CHECK(three[0] > 0);
  CHECK(three[1] == 0);
  CHECK(three[2] > 0);
  CHECK(three[3] > 0);
  CHECK(three[4] == 0);
  const auto uniform = kept(2, {0.25, 0.25, 0.25, 0.25});
  CHECK(uniform[1] == doctest::Approx(0.5));
  CHECK(uniform[2] == 0);
}

TEST_CASE("draw::top_k never brings back a token without mass, and a large k keeps the row") {
  CHECK(kept(3, {0.0, 1.0, 0.0, 0.0}) == std::vector<double>{0, 1, 0, 0});
  const auto all = kept(9, {0.5, 0.3, 0.2});
  CHECK(all[2] == doctest::Approx(0.2));
  CHECK(kept(50, {1.0}) == std::vector<double>{1});
}

TEST_CASE("draw::top_k keeps what sorting would keep") {
  lacuna::random_stream rng(5, lacuna::stream_use::other);
  std::vector<double> p(100);
  double z = 0;
  for (double& x : p) z += x = std::exp(10 * rng.uniform());
  for (double& x : p) x /= z;
  auto sorted = p;
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
  for (const std::size_t k : std::vector<std::size_t>{1, 7, 50, 99}) {
    const auto row = kept(k, p);
    for (std::size_t v = 0; v < p.size(); ++v) CHECK((row[v] > 0) == (p[v] >= sorted[k - 1]));
  }
}

TEST_CASE("draw::top_k draws from the kept tokens as the row says") {
  const auto counts = draws_of(draw::top_k{2}, row_of({0.1, 0.4, 0.3, 0.2}), 20000);
  const double limit = lacuna::testing::chi_square_limit(1);
  CHECK(lacuna::testing::chi_square(counts, {0, 4 / 7.0, 3 / 7.0, 0}) < limit);
  CHECK(lacuna::testing::chi_square(counts, {0, 0.6, 0.4, 0}) > limit);
}

TEST_CASE("draw::top_k refuses k = 0 and asks what it wraps") {
  CHECK_THROWS_WITH_AS(draw::top_k{0}.validate(), "draw::top_k: k = 0, expected at least 1 token", lacuna::invalid_argument);
  CHECK_THROWS_AS((draw::top_k{5, draw::categorical{-1}}.validate()), lacuna::invalid_argument);
  CHECK_NOTHROW(draw::top_k{1}.validate());
}

}  // namespace
