/// @file
/// @brief window::cosine: small windows first, larger ones the more is known.
///
/// W(i) = max(1, ⌈N (1 − cos(π/2 · min(1, s + Δτ))) − i⌉) with s = (2/π) arccos(1 − i/N). With N = 256, if every window is
/// filled, 80 windows for Δτ = .01 and 12 for .083; published with n verifications a window: (n, Δτ) = (1, .002) (2, .005) (3,
/// .01) (4, .02) (8, .04) (10, .083). Errors: delta outside (0, 1] is refused. Source: Self-Speculative Masked Diffusions
/// (arXiv 2510.03929).
/// ```cpp
/// lacuna::sample::speculative{lacuna::rank::random{}, lacuna::window::cosine{0.01}, 3}
/// ```
#pragma once

#include <cmath>
#include <numbers>

#include "lacuna/core/pace.hpp"
#include "lacuna/window/in_time.hpp"

namespace lacuna::window {

struct cosine_curve : pace::cosine_curve {
  static double time(double share) { return 2 / std::numbers::pi * std::acos(1 - share); }
};

using cosine = in_time<cosine_curve>;

}  // namespace lacuna::window
