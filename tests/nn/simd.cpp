#include "lacuna/nn/simd.hpp"

#include <cmath>
#include <vector>

#include <doctest/doctest.h>

#include "comparing.hpp"

namespace {

namespace simd = lacuna::nn::simd;

float first(const simd::packet& x) {
  float out[simd::width];
  simd::store(out, x);
  return out[0];
}

}  // namespace

TEST_CASE("the exponential is good to 2e-7 and saturates where floats end") {
  double worst = 0.0;
  for (double x = -86.9; x < 86.9; x += 0.0137) {
    const auto f = static_cast<float>(x);
    const double expected = std::exp(static_cast<double>(f));
    worst = std::max(worst, std::abs(static_cast<double>(first(simd::exponential(simd::fill(f)))) / expected - 1.0));
  }
  CHECK(worst < 2e-7);
  CHECK(first(simd::exponential(simd::fill(0.0F))) == 1.0F);
  CHECK(first(simd::exponential(simd::fill(-1e30F))) < 2e-38F);
  CHECK(first(simd::exponential(simd::fill(-1e30F))) >= 0.0F);
  CHECK(std::isfinite(first(simd::exponential(simd::fill(1e30F)))));
}

TEST_CASE("the logistic function is good to 5e-7 and finite everywhere") {
  double worst = 0.0;
  for (double x = -40.0; x < 40.0; x += 0.0137) {
    const auto f = static_cast<float>(x);
    const double expected = 1.0 / (1.0 + std::exp(-static_cast<double>(f)));
    worst = std::max(worst, std::abs(static_cast<double>(first(simd::logistic(simd::fill(f)))) / expected - 1.0));
  }
  CHECK(worst < 5e-7);
  CHECK(first(simd::logistic(simd::fill(1000.0F))) == doctest::Approx(1.0));
  CHECK(first(simd::logistic(simd::fill(-1000.0F))) < 1e-37F);
  CHECK(first(simd::logistic(simd::fill(-1000.0F))) >= 0.0F);
}

TEST_CASE("maps and sums reach every element once and touch nothing behind the last") {
  for (std::size_t n = 0; n <= 2 * simd::width + 1; ++n) {
    const std::vector<float> x = comparing::numbers(n + 1, 1);
    std::vector<float> y(n + 1, 99.0F), z(n + 1, 99.0F), w(n + 1, 99.0F);
    simd::map(
        n, y.data(), [](const auto& a, const auto& b) { return simd::add(a, b); }, x.data(), x.data());
    simd::map_two(
        n, z.data(), w.data(),
        [](const auto& a) {
          return simd::packet_pair{simd::add(a, a), simd::multiply(a, a)};
        },
        x.data());
    double total = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
      CHECK(y[i] == 2.0F * x[i]);
      CHECK(z[i] == 2.0F * x[i]);
      CHECK(w[i] == x[i] * x[i]);
      total += static_cast<double>(x[i]);
    }
    CHECK(y[n] == 99.0F);
    CHECK(z[n] == 99.0F);
    CHECK(w[n] == 99.0F);
    CHECK(static_cast<double>(simd::sum_of(
              n, [](const auto& a) { return a; }, x.data())) == doctest::Approx(total).epsilon(1e-5));
  }
}
