#include "lacuna/nn/pair_loss.hpp"

#include <cmath>
#include <limits>
#include <string>

#include <doctest/doctest.h>

namespace {

using namespace lacuna;

std::string message(const nn::pair_loss& loss) {
  try {
    loss.validate();
  } catch (const invalid_argument& e) {
    return e.what();
  }
  return "";
}

}  // namespace

TEST_CASE("losses worked out by hand") {
  CHECK(nn::pair_loss{}(0.75, 0.25).value == 0.25);
  CHECK(nn::pair_loss{}(0.75, 0.25).slope == 1);
  CHECK(nn::pair_loss{3, 0}(0.75, 0.25).value == 0.75);
  // log((e - 1 + 1) / (0 + 1)) = 1
  const nn::pair_loss logarithmic{0, 2, 1};
  CHECK(logarithmic(std::exp(1.0) - 1, 0).value == doctest::Approx(2));
  CHECK(logarithmic(std::exp(1.0) - 1, 0).slope == doctest::Approx(4 / std::exp(1.0)));
  CHECK(nn::pair_loss{1, 1, 1e-4}(0.3, 0.3).value == 0);
  CHECK(nn::pair_loss{1, 1, 1e-4}(0.3, 0.3).slope == 0);
}

TEST_CASE("the slope is the derivative of the value") {
  for (const nn::pair_loss& loss : {nn::pair_loss{}, nn::pair_loss{0, 1}, nn::pair_loss{2, 0.5, 1e-3}})
    for (const double estimate : {1e-3, 0.02, 0.5, 2.0})
      for (const double target : {0.0, 1e-3, 0.4}) {
        const double step = 1e-5 * estimate;
        const double expected = (loss(estimate + step, target).value - loss(estimate - step, target).value) / (2 * step);
        // the difference is off by a rounding of the value over the step, and by the square of the step times the third
        // derivative, which is at most some 10 / estimate^3 (the floors are smaller than the estimates, or the loss is square)
        const double rounding = 4e-16 * loss(estimate, target).value / step;
        CHECK(std::abs(loss(estimate, target).slope - expected) <= rounding + 1e-10 * 10 / estimate + 1e-12);
      }
}

TEST_CASE("the logarithm tells small values apart, and nothing below the floor") {
  const nn::pair_loss squares{}, logarithms{0, 1, 1e-4};
  CHECK(squares(1e-3, 1e-2).value < 1e-4);
  CHECK(logarithms(1e-3, 1e-2).value > 4);
  CHECK(logarithms(1e-7, 1e-9).value < 1e-5);
}

TEST_CASE("weights and floors of which no loss is made are refused") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  CHECK(message({}).empty());
  CHECK(message({0, 1}).empty());
  for (const nn::pair_loss& bad : {nn::pair_loss{0, 0}, {-1, 2}, {2, -1}, {nan, 1}, {1, nan}, {infinity, 0}, {0, infinity}})
    CHECK(message(bad).find("pair_loss: weights ") == 0);
  for (const double floor : {0.0, -1e-4, nan, infinity}) CHECK(message({1, 1, floor}).find("pair_loss: floor = ") == 0);
  CHECK(message({-1, 2}) ==
        "pair_loss: weights -1.000000 and 2.000000, expected finite numbers of at least 0, one of them more");
}
