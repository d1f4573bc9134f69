/// @file
/// @brief mi::information: the pairwise mutual information of one canvas: as estimated, and cleaned.
///
/// Positions here are the n masked ones. `raw(a, b)` is what probing position a says about b; the two directions differ where a
/// network's conditionals do not agree with each other, and both may be below 0. `cleaned` is what most uses want: each
/// direction clamped to [0, min(H_a, H_b)], which no joint distribution leaves, then averaged: symmetric, 0 on the diagonal.
/// A direction that was not asked for is NaN in `raw` and left out of the average. Nats.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "lacuna/core/cost.hpp"
#include "lacuna/core/tensor.hpp"

namespace lacuna::mi {

/// Cleans a raw matrix [n, n] with the entropies [n]; 0 for pairs of which neither direction is known.
inline tensor<double, 2> cleaned(const tensor<double, 2>& raw, const std::vector<double>& entropies) {
  const std::size_t n = entropies.size();
  tensor<double, 2> out({n, n});
  std::fill(out.begin(), out.end(), 0.0);
  for (std::size_t a = 0; a < n; ++a)
    for (std::size_t b = a + 1; b < n; ++b) {
      const double cap = std::min(entropies[a], entropies[b]);
      double sum = 0;
      double known = 0;
      for (const double r : {raw(a, b), raw(b, a)})
        if (!std::isnan(r)) {
          sum += std::clamp(r, 0.0, cap);
          ++known;
        }
      if (known > 0) out(a, b) = out(b, a) = sum / known;
    }
  return out;
}

struct information {
  std::vector<std::size_t> positions;  ///< [n] the masked positions, ascending
  std::vector<double> entropies;       ///< [n] H_a
  tensor<double, 2> raw;               ///< [n, n] from probing a, about b; 0 on the diagonal, NaN if not asked for
  tensor<double, 2> error;             ///< [n, n] of `raw`, a bound or a standard error as the estimator tells; else [0, 0]
  nfe cost;                            ///< the pass that says what is known (decode), and the probes

  /// n.
  [[nodiscard]] std::size_t size() const { return positions.size(); }
  /// Symmetric, within [0, min(H_a, H_b)].
  [[nodiscard]] tensor<double, 2> cleaned() const { return mi::cleaned(raw, entropies); }
};

/// A matrix [n, n] over the masked positions as one over all L positions, 0 elsewhere.
inline tensor<double, 2> over_sequence(const tensor<double, 2>& values, const std::vector<std::size_t>& positions,
                                       std::size_t length) {
  tensor<double, 2> out({length, length});
  std::fill(out.begin(), out.end(), 0.0);
  for (std::size_t a = 0; a < positions.size(); ++a)
    for (std::size_t b = 0; b < positions.size(); ++b) out(positions[a], positions[b]) = values(a, b);
  return out;
}

}  // namespace lacuna::mi
