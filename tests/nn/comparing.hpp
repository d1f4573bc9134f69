/// @file
/// @brief Differences between a fast result and its reference.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "lacuna/nn/initial.hpp"

namespace comparing {

/// The largest difference of two ranges in units of the largest entry of the second; infinity if their sizes differ.
template <class Got, class Expected>
double difference(const Got& got, const Expected& expected) {
  if (got.size() != expected.size()) return HUGE_VAL;
  double worst = 0.0;
  double scale = 1e-30;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const double apart = std::abs(static_cast<double>(got[i]) - static_cast<double>(expected[i]));
    worst = std::isnan(apart) ? HUGE_VAL : std::max(worst, apart);
    scale = std::max(scale, std::abs(static_cast<double>(expected[i])));
  }
  return worst / scale;
}

/// Normal numbers as float, and the same numbers as double.
inline std::vector<float> numbers(std::size_t n, std::uint64_t stream, double deviation = 1.0) {
  std::vector<float> out(n);
  lacuna::nn::fill_normal(out, deviation, 2026, stream);
  return out;
}
inline std::vector<double> exact(const std::vector<float>& x) { return {x.begin(), x.end()}; }

/// A product of n float terms of size 1 is off by at most about n roundings; random signs make it sqrt(n).
inline double rounding(std::size_t n) { return 6e-8 * (2.0 + 4.0 * std::sqrt(static_cast<double>(n))); }

/// The largest difference between `gradient` and central differences of f at x, in units of the largest entry.
template <class F>
double from_differences(const F& f, std::vector<double> x, const std::vector<double>& gradient) {
  std::vector<double> expected(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double at = x[i];
    const double step = 1e-5;
    x[i] = at + step;
    const double above = f(x);
    x[i] = at - step;
    expected[i] = (above - f(x)) / (2 * step);
    x[i] = at;
  }
  return difference(gradient, expected);
}

inline double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double total = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) total += a[i] * b[i];
  return total;
}

}  // namespace comparing
