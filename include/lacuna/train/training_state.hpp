/// @file
/// @brief Everything a training run carries from one step to the next, besides the weights: what a checkpoint holds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "lacuna/train/adamw.hpp"
#include "lacuna/train/moving_average.hpp"

namespace lacuna::train {

/// A mean that forgets: weight `decay` per value, exact from the first value on.
struct running_mean {
  double decay = 0.99;
  double sum = 0;
  double weight = 0;

  void add(double x) {
    sum = decay * sum + (1 - decay) * x;
    weight = decay * weight + (1 - decay);
  }
  [[nodiscard]] double value() const { return weight == 0 ? 0 : sum / weight; }
};

/// The state between two steps. `step` updates are done; the next batch is made from (seed, step).
struct training_state {
  std::uint64_t seed = 0;
  std::size_t step = 0;
  std::size_t rows = 0;  ///< training rows seen
  double elapsed = 0;    ///< seconds, over all the sittings of the run
  adamw_state optimizer;
  moving_average_state average;
  running_mean loss;            ///< nats per unit of the batch
  std::vector<float> gradient;  ///< scratch, not saved
};

}  // namespace lacuna::train
