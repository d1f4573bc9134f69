#include "lacuna/nn/simd.hpp"

#include <algorithm>
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

TEST_CASE("the complementary error function is good to 1.5e-7, and to 2.5e-7 (1 + x^2) of itself") {
  double worst = 0.0, worst_erf = 0.0, worst_share = 0.0, worst_bell = 0.0;
  for (double x = 0.0; x < 9.0; x += 0.00037) {
    const auto f = static_cast<float>(x);
    const double exact = static_cast<double>(f);
    const simd::packet_pair got = simd::complementary_error(simd::fill(f));
    const double beyond = static_cast<double>(first(got.first));
    worst = std::max(worst, std::abs(beyond - std::erfc(exact)));
    worst_erf = std::max(worst_erf, std::abs(static_cast<double>(1.0F - first(got.first)) - std::erf(exact)));
    worst_share = std::max(worst_share, std::abs(beyond / std::erfc(exact) - 1.0) / (1.0 + exact * exact));
    worst_bell = std::max(
        worst_bell, std::abs(static_cast<double>(first(got.second)) * std::exp(exact * exact) - 1.0) / (1.0 + exact * exact));
  }
  CHECK(worst < 1.5e-7);
  CHECK(worst_erf < 1.5e-7);
  CHECK(worst_share < 2.5e-7);
  CHECK(worst_bell < 2e-7);
  for (const float huge : {9.4F, 100.0F, 1e38F}) {
    const simd::packet_pair got = simd::complementary_error(simd::fill(huge));
    CHECK(first(got.first) >= 0.0F);
    CHECK(first(got.first) < 1e-37F);
    CHECK(first(got.second) < 1e-37F);
  }
}

TEST_CASE("elements are chosen by their sign, and zero is not negative") {
  const auto chosen = [](float a) { return first(simd::where_negative(simd::fill(a), simd::fill(1.0F), simd::fill(2.0F))); };
  CHECK(chosen(-1e-30F) == 1.0F);
  CHECK(chosen(-3.0F) == 1.0F);
  CHECK(chosen(0.0F) == 2.0F);
  CHECK(chosen(-0.0F) == 2.0F);
  CHECK(chosen(5.0F) == 2.0F);
  CHECK(first(simd::magnitude(simd::fill(-2.5F))) == 2.5F);
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
