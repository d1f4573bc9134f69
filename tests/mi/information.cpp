#include "lacuna/mi/information.hpp"

#include <doctest/doctest.h>

#include <limits>

#include "tests/mi/oracles.hpp"

using namespace lacuna;
using namespace lacuna::tests;

TEST_CASE("cleaning clamps each direction to what a joint distribution allows, then averages") {
  const double unknown = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> entropies{1.0, 0.5, 2.0, 0.0};
  const tensor<double, 2> raw{{0, 0.3, 5, -2}, {-0.1, 0, unknown, 0.2}, {0.4, 0.2, 0, unknown}, {1, 1, unknown, 0}};
  const tensor<double, 2> clean = mi::cleaned(raw, entropies);
  CHECK(clean(0, 1) == (0.3 + 0) / 2);    // below 0
  CHECK(clean(0, 2) == (1.0 + 0.4) / 2);  // above the smaller entropy
  CHECK(clean(1, 2) == 0.2);              // one direction only
  CHECK(clean(2, 3) == 0);                // none
  CHECK(clean(0, 3) == 0);                // a position without entropy shares nothing
  CHECK(is_clean(clean, entropies));
  CHECK(!is_clean(raw, entropies));  // the control
}

TEST_CASE("over the sequence everything else is 0") {
  const tensor<double, 2> two{{0, 0.5}, {0.25, 0}};
  const tensor<double, 2> out = mi::over_sequence(two, {1, 3}, 4);
  const tensor<double, 2> expected{{0, 0, 0, 0}, {0, 0, 0, 0.5}, {0, 0, 0, 0}, {0, 0.25, 0, 0}};
  CHECK(out == expected);
}
