#include "lacuna/train/training_state.hpp"

#include <doctest/doctest.h>

TEST_CASE("a running mean is exact from its first value and forgets at its rate") {
  lacuna::train::running_mean mean{0.5, 0, 0};
  CHECK(mean.value() == 0);
  mean.add(4);
  CHECK(mean.value() == doctest::Approx(4));
  mean.add(1);
  CHECK(mean.value() == doctest::Approx((0.5 * 4 + 1) / 1.5));
  for (int i = 0; i < 60; ++i) mean.add(7);
  CHECK(mean.value() == doctest::Approx(7));
}
