#include "lacuna/nn/initial.hpp"

#include <cmath>
#include <vector>

#include <doctest/doctest.h>

namespace {

using namespace lacuna;

}  // namespace

TEST_CASE("normal starting values are pinned: changing them changes every network trained from a seed") {
  std::vector<float> x(3);
  nn::fill_normal(x, 1.0, 42, 7);
  CHECK(x[0] == doctest::Approx(0.776932538).epsilon(1e-6));
  CHECK(x[1] == doctest::Approx(0.305989623).epsilon(1e-6));
  CHECK(x[2] == doctest::Approx(0.789945781).epsilon(1e-6));
}

TEST_CASE("normal starting values have the moments of a normal, and streams are unrelated") {
  const std::size_t n = 200000;
  std::vector<float> x(n), y(n);
  nn::fill_normal(x, 2.0, 1, 0);
  nn::fill_normal(y, 2.0, 1, 1);
  double mean = 0.0, square = 0.0, fourth = 0.0, product = 0.0;
  for (std::size_t i = 0; i < n; ++i) {
    const double v = static_cast<double>(x[i]) / 2;
    mean += v / static_cast<double>(n);
    square += v * v / static_cast<double>(n);
    fourth += v * v * v * v / static_cast<double>(n);
    product += v * static_cast<double>(y[i]) / 2 / static_cast<double>(n);
  }
  // Five standard errors: 1, sqrt 2, sqrt 96 and 1 over sqrt n.
  const double error = 5.0 / std::sqrt(static_cast<double>(n));
  CHECK(std::abs(mean) < error);
  CHECK(std::abs(square - 1.0) < std::sqrt(2.0) * error);
  CHECK(std::abs(fourth - 3.0) < std::sqrt(96.0) * error);
  CHECK(std::abs(product) < error);
}
