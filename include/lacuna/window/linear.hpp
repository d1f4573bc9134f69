/// @file
/// @brief window::linear: windows of equal size, a share delta of what is to decode.
///
/// W(i) = ⌈N min(1, i/N + Δτ) − i⌉: what window::cosine is with a straight line for the curve. window::constant gives the size
/// in positions instead. Errors: delta outside (0, 1] is refused. Source: Self-Speculative Masked Diffusions (arXiv
/// 2510.03929).
/// ```cpp
/// lacuna::sample::speculative{lacuna::rank::random{}, lacuna::window::linear{0.1}, 2}
/// ```
#pragma once

#include "lacuna/core/pace.hpp"
#include "lacuna/window/in_time.hpp"

namespace lacuna::window {

struct linear_curve : pace::linear_curve {
  static double time(double share) { return share; }
};

using linear = in_time<linear_curve>;

}  // namespace lacuna::window
