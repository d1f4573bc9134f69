/// @file
/// @brief An exponential moving average of the weights, which usually decodes better than the last weights.
///
/// average <- d * average + (1 - d) * weights, starting at the first weights. With warm-up, update k = 0, 1, … uses
/// d = min(decay, (1 + k) / (warmup + k)), so that the random initial weights do not linger: after n updates their share is
/// about (warmup / n)^(warmup - 1) instead of decay^n. Cost: one pass over two arrays.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

namespace lacuna::train {

/// The averaged weights, in the layout of the parameters.
struct moving_average_state {
  std::vector<float> values;
  std::size_t updates = 0;
};

/// The averaging rule; its memory is a `moving_average_state`.
struct moving_average {
  double decay = 0.999;  ///< 0: the average is the last weights
  double warmup = 10;    ///< 1 or less: none

  [[nodiscard]] moving_average_state init(std::span<const float> weights) const {
    return {std::vector<float>(weights.begin(), weights.end()), 0};
  }

  void update(std::span<const float> weights, moving_average_state& state) const {
    const double d = decay_at(state.updates++);
    const auto fresh = static_cast<float>(1 - d);
    float* const average = state.values.data();
    // average + fresh * (w - average): one constant, and weights that stand still are a fixed point.
    for (std::size_t i = 0; i < weights.size(); ++i) average[i] += fresh * (weights[i] - average[i]);
  }

  /// The decay of update k.
  [[nodiscard]] double decay_at(std::size_t k) const {
    return std::min(decay, (1 + static_cast<double>(k)) / (std::max(warmup, 1.0) + static_cast<double>(k)));
  }
};

}  // namespace lacuna::train
