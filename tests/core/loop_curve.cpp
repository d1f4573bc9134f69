#include "lacuna/core/loop_curve.hpp"

#include <doctest/doctest.h>

#include <cmath>

namespace {

using lacuna::pace::loop_curve;

TEST_CASE("the loop curve rises to its plateau, stays, and rises to one") {
  constexpr loop_curve curve{0.6, 0.2, 0.8};
  CHECK(curve.revealed(0) == 0);
  CHECK(curve.revealed(0.2) == doctest::Approx(0.4));  // half of the way to the plateau
  CHECK(curve.revealed(0.4) == doctest::Approx(0.8));
  CHECK(curve.revealed(0.5) == 0.8);
  CHECK(curve.revealed(0.79) == 0.8);
  CHECK(curve.revealed(0.9) == doctest::Approx(0.9));  // half of the way to the end
  CHECK(curve.revealed(1) == 1);
  CHECK(!curve.on_plateau(0.61));
  CHECK(curve.on_plateau(0.6));
  CHECK(curve.on_plateau(0.21));
  CHECK(!curve.on_plateau(0.2));
}

TEST_CASE("the loop curve never falls") {
  constexpr loop_curve curve{};
  double before = 0;
  for (int i = 0; i <= 1000; ++i) {
    const double now = curve.revealed(i / 1000.0);
    CHECK(now >= before);
    CHECK(now <= 1);
    before = now;
  }
  CHECK(before == 1);
}

TEST_CASE("a loop curve without a plateau inside the run is refused") {
  CHECK_NOTHROW(loop_curve{}.validate());
  CHECK_THROWS_AS((loop_curve{0.2, 0.6, 0.9}.validate()), lacuna::invalid_argument);
  CHECK_THROWS_AS((loop_curve{1.0, 0.1, 0.9}.validate()), lacuna::invalid_argument);
  CHECK_THROWS_AS((loop_curve{0.5, 0.0, 0.9}.validate()), lacuna::invalid_argument);
  CHECK_THROWS_AS((loop_curve{0.5, 0.1, 1.0}.validate()), lacuna::invalid_argument);
  CHECK_THROWS_AS((loop_curve{std::nan(""), 0.1, 0.5}.validate()), lacuna::invalid_argument);
}

}  // namespace
