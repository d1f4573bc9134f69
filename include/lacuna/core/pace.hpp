/// @file
/// @brief How many positions are revealed by when: the paces of decoding.
///
/// A pace turns (steps done, masks at the start) into a target: how many positions are revealed after the step. Policies
/// unmask the difference to what is revealed, so that a pace corrects itself when tokens are masked again. When S steps are
/// asked for m masks, every step reveals at least one, the counts add up to m, a linear pace spreads them as evenly as whole
/// numbers allow, and S > m means m steps.
#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <numbers>
#include <string>

#include "lacuna/core/errors.hpp"

namespace lacuna::pace {

/// The share revealed when a share u in [0, 1] of the steps is done.
struct linear_curve {
  static double revealed(double u) { return u; }
};
/// MaskGIT's cosine (Chang et al. 2022): few at first, many at the end.
struct cosine_curve {
  static double revealed(double u) { return u >= 1 ? 1.0 : 1.0 - std::cos(std::numbers::pi / 2 * u); }
};

/// `k` positions a step.
struct constant {
  std::size_t k = 1;
  [[nodiscard]] std::size_t target(std::size_t step, std::size_t masks) const {
    return k <= masks / (step + 1) ? (step + 1) * k : masks;  // the product of a huge k would overflow
  }
  void validate() const {
    if (k == 0) throw invalid_argument("pace::constant: k = 0, expected at least 1 position a step");
  }
};

/// All masks in `steps` steps along a curve: anything with `revealed(u)`, non-decreasing from 0 at u = 0 to 1 at u = 1.
template <class Curve>
struct in_steps {
  std::size_t steps = 1;
  Curve curve{};

  /// Positions revealed after step `step` (from 0) of a run that began with `masks` masks.
  [[nodiscard]] std::size_t target(std::size_t step, std::size_t masks) const {
    const std::size_t total = std::min(steps, masks);
    if (step + 1 >= total) return masks;
    const double share = curve.revealed(static_cast<double>(step + 1) / static_cast<double>(total));
    const auto wanted = static_cast<std::size_t>(std::llround(share * static_cast<double>(masks)));
    return std::clamp(wanted, step + 1, masks - (total - step - 1));
  }
  /// Share revealed when a share u of the steps is done.
  [[nodiscard]] double revealed(double u) const { return curve.revealed(u); }
  void validate() const {
    if (steps == 0) throw invalid_argument("pace: steps = 0, expected at least 1");
    if constexpr (requires { curve.validate(); }) curve.validate();
  }
};
using linear = in_steps<linear_curve>;
using cosine = in_steps<cosine_curve>;

/// A pace: `p.target(step, masks)`, non-decreasing in `step`, at most `masks`.
template <class P>
concept is_pace = std::copyable<P> && requires(const P& p, std::size_t n) {
  { p.target(n, n) } -> std::convertible_to<std::size_t>;
};
/// A pace that knows its number of steps: what remasking needs.
template <class P>
concept is_timed_pace = is_pace<P> && requires(const P& p, double u) {
  { p.steps } -> std::convertible_to<std::size_t>;
  { p.revealed(u) } -> std::convertible_to<double>;
};

}  // namespace lacuna::pace
