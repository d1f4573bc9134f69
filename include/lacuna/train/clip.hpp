/// @file
/// @brief Clipping of a gradient by its global norm.
///
/// The norm is taken over all parameters together and in double, so that one large tensor does not change the direction of the
/// step. `clip_factor` is a factor for the optimiser instead of a pass of its own. Cost: one pass over the gradient.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <span>

namespace lacuna::train {

/// sqrt(sum of squares). Summed in a fixed order: the result does not depend on where the array lies in memory.
inline double global_norm(std::span<const float> gradient) {
  constexpr std::size_t lanes = 8;  // independent sums, for the vector units
  std::array<double, lanes> sums{};
  std::size_t i = 0;
  for (; i + lanes <= gradient.size(); i += lanes) {
    for (std::size_t k = 0; k < lanes; ++k) {
      const double g = gradient[i + k];
      sums[k] += g * g;
    }
  }
  for (std::size_t k = 0; i + k < gradient.size(); ++k) {
    const double g = gradient[i + k];
    sums[k] += g * g;
  }
  double total = 0;
  for (const double sum : sums) total += sum;
  return std::sqrt(total);
}

/// What to multiply a gradient of this norm with so that its norm is at most `limit` (infinity: never clipped).
inline double clip_factor(double norm, double limit) { return norm > limit ? limit / norm : 1.0; }

}  // namespace lacuna::train
