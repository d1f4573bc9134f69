/// @file
/// @brief window::in_time: as many positions as a curve of decoding reveals in a span of time.
///
/// The curves are those of the paces (core/pace.hpp): with `s` the time at which the curve has revealed what is revealed, the
/// window reaches to where it is at s + delta. window::cosine and window::linear are made of it.
/// Source: Self-Speculative Masked Diffusions (arXiv 2510.03929).
#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <string>

#include "lacuna/core/errors.hpp"

namespace lacuna::window {

/// A curve that also knows its inverse.
template <class C>
concept curve_in_time = requires(double u) {
  { C::revealed(u) } -> std::convertible_to<double>;
  { C::time(u) } -> std::convertible_to<double>;
};

template <curve_in_time Curve>
struct in_time {
  double delta = 0.05;  ///< share of the whole time, (0, 1]

  std::size_t operator()(std::size_t revealed, std::size_t total) const {
    const double n = static_cast<double>(total);
    const double time = Curve::time(static_cast<double>(revealed) / n);
    const double reached = n * Curve::revealed(std::min(1.0, time + delta));
    // The tolerance keeps a whole number that came out a little too large from becoming one more.
    const double size = std::ceil(reached - static_cast<double>(revealed) - 1e-9);
    return size > 1 ? static_cast<std::size_t>(size) : 1;
  }
  void validate() const {
    if (!(delta > 0 && delta <= 1))
      throw invalid_argument("window: delta = " + std::to_string(delta) +
                             ", expected a share of the time, above 0 and at most 1");
  }
};

}  // namespace lacuna::window
