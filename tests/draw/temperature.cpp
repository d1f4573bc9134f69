#include "lacuna/draw/temperature.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "lacuna/draw/argmax.hpp"
#include "lacuna/draw/categorical.hpp"
#include "lacuna/draw/top_p.hpp"
#include "tests/support/draw_fixture.hpp"

namespace {

namespace draw = lacuna::draw;
using lacuna::testing::passed_on;
using lacuna::testing::row_of;

static_assert(lacuna::draw_policy<draw::temperature<draw::argmax>>);

std::vector<double> at(double t, const std::vector<double>& p) {
  return passed_on([t](auto inner) { return draw::temperature{t, inner}; }, row_of(p));
}

TEST_CASE("draw::temperature passes on the row at its temperature") {
  const auto squared = at(0.5, {0.5, 0.3, 0.2, 0.0});
  const double z = 0.25 + 0.09 + 0.04;
  CHECK(squared[0] == doctest::Approx(0.25 / z));
  CHECK(squared[1] == doctest::Approx(0.09 / z));
  CHECK(squared[2] == doctest::Approx(0.04 / z));
  CHECK(squared[3] == 0);
}

TEST_CASE("draw::temperature 0 leaves the best token, infinity all that have mass") {
  CHECK(at(0, {0.2, 0.4, 0.4, 0.0}) == std::vector<double>{0, 1, 0, 0});
  const auto flat = at(std::numeric_limits<double>::infinity(), {0.7, 0.2, 0.1, 0.0});
  for (std::size_t v = 0; v < 3; ++v) CHECK(flat[v] == doctest::Approx(1 / 3.0));
  CHECK(flat[3] == 0);
}

TEST_CASE("it matters on which side of a filter the temperature is") {
  const auto row = row_of({0.6, 0.3, 0.1});
  // the nucleus of the sharpened row is the first token alone; that of the model's row holds two
  const auto sharp_first = passed_on([](auto inner) { return draw::temperature{0.25, draw::top_p{0.85, inner}}; }, row);
  const auto nucleus_first = passed_on([](auto inner) { return draw::top_p{0.85, draw::temperature{0.25, inner}}; }, row);
  CHECK(sharp_first == std::vector<double>{1, 0, 0});
  CHECK(nucleus_first[1] > 0);
  CHECK(nucleus_first[2] == 0);
}

TEST_CASE("draw::temperature refuses negative and NaN values, its own and inner ones") {
  CHECK_NOTHROW((draw::temperature{0, draw::argmax{}}.validate()));
  CHECK_THROWS_WITH_AS((draw::temperature{-0.5, draw::argmax{}}.validate()),
                       "draw::temperature: temperature = -0.500000, expected at least 0 (0 is argmax, infinity uniform)",
                       lacuna::invalid_argument);
  CHECK_THROWS_AS((draw::temperature{std::nan(""), draw::argmax{}}.validate()), lacuna::invalid_argument);
  CHECK_THROWS_AS((draw::temperature{1, draw::categorical{-1}}.validate()), lacuna::invalid_argument);
}

}  // namespace
