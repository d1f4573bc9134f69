#include "lacuna/core/log_add.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

using namespace lacuna;

TEST_CASE("sums and differences of logarithms are those of the numbers") {
  for (const double a : {0.0, 1e-9, 0.3, 1.0, 7.0})
    for (const double b : {0.0, 1e-9, 0.3, 1.0, 7.0}) {
      CHECK(std::exp(log_add(std::log(a), std::log(b))) == doctest::Approx(a + b).epsilon(1e-14));
      CHECK(std::exp(log_excess(std::log(a), std::log(b))) == doctest::Approx(std::max(0.0, a - b)).epsilon(1e-14));
    }
}

TEST_CASE("logarithms of numbers that no double holds are added and subtracted as well") {
  CHECK(log_add(-2000, -2000) == doctest::Approx(-2000 + std::log(2)));
  CHECK(log_add(-2000, -5000) == -2000);
  CHECK(log_excess(-2000, -2001) == doctest::Approx(-2000 + std::log(1 - std::exp(-1))));
  CHECK(log_excess(5000, -infinity) == 5000);
  CHECK(log_add(-infinity, -infinity) == -infinity);
  CHECK(log_excess(-infinity, -infinity) == -infinity);
  CHECK(log_excess(3, 3) == -infinity);
}

TEST_CASE("a small difference of logarithms keeps its digits") {
  CHECK(std::exp(log_excess(1e-12, 0)) == doctest::Approx(1e-12).epsilon(1e-10));
}
