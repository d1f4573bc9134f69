/// @file
/// @brief pick: the index into whose share of a total a number falls. How a token is drawn from weights.
#pragma once

#include <cstddef>
#include <span>

namespace lacuna {

/// The first i with w_0 + … + w_i > target, of the weights that are above 0; the last of these should rounding leave the target
/// at the very end, 0 if there is none. `target` is a uniform number times the sum of the weights. O(n), sums in double.
inline std::size_t pick(std::span<const double> weights, double target) {
  double sum = 0;
  std::size_t last = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (!(weights[i] > 0)) continue;
    sum += weights[i];
    last = i;
    if (target < sum) break;
  }
  return last;
}

}  // namespace lacuna
