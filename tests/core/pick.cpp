#include "lacuna/core/pick.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <vector>

using lacuna::pick;

TEST_CASE("a number picks the weight in whose share it falls, never one of none") {
  const std::vector<double> w{0, 1, 0, 2, -1, 1, 0};
  CHECK(pick(w, 0) == 1);
  CHECK(pick(w, 0.999) == 1);
  CHECK(pick(w, 1) == 3);
  CHECK(pick(w, 2.999) == 3);
  CHECK(pick(w, 3) == 5);
  CHECK(pick(w, 3.999) == 5);
  CHECK(pick(w, 4) == 5);  // rounding
  CHECK(pick(std::vector<double>{0, std::numeric_limits<double>::quiet_NaN(), 1}, 0.5) == 2);
  CHECK(pick(std::vector<double>{0, 0}, 0) == 0);
}
