/// @file
/// @brief The learning rate over a training run.
///
/// A schedule is any callable `s(step, progress) -> double`: `step` counts updates from 0, `progress` in [0, 1] is how much of
/// the run is over, by steps or by time, whichever is further (train/trainer.hpp). Warm-up goes by steps, because it is there
/// for Adam's first estimates; decay goes by progress, so that a run with a time budget still ends at the floor.
#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <numbers>

namespace lacuna::train {

/// Gives the learning rate of a step.
template <class S>
concept learning_rate_schedule = std::copyable<S> && requires(const S& schedule, std::size_t step, double progress) {
  { schedule(step, progress) } -> std::convertible_to<double>;
};

/// Linear warm-up, a plateau, then a half cosine from `peak` to `floor * peak`. Without the plateau, the choice when the length
/// of the run is known; with one, the length may still be changed as long as the run is on it.
struct warmup_cosine {
  double peak = 3e-3;
  double floor = 0.03;             ///< share of the peak left at the end
  std::size_t warmup_steps = 100;  ///< step k of them runs at (k + 1) / warmup_steps; 0: none
  double hold = 0;  ///< share of the run, in [0, 1], that stays at the peak before the cosine begins; 1: no decay

  double operator()(std::size_t step, double progress) const {
    const double decayed = hold < 1.0 ? (progress - hold) / (1.0 - hold) : 0.0;
    const double warm =
        warmup_steps == 0 ? 1.0 : std::min(1.0, static_cast<double>(step + 1) / static_cast<double>(warmup_steps));
    const double wave = 0.5 * (1.0 + std::cos(std::numbers::pi * std::clamp(decayed, 0.0, 1.0)));
    return peak * warm * (floor + (1.0 - floor) * wave);
  }
};

/// Linear warm-up, then constant. The choice when the length is open; average the weights (train/moving_average.hpp).
struct warmup_constant {
  double peak = 1e-3;
  std::size_t warmup_steps = 100;

  double operator()(std::size_t step, double /*progress*/) const {
    return warmup_steps == 0 ? peak : peak * std::min(1.0, static_cast<double>(step + 1) / static_cast<double>(warmup_steps));
  }
};

}  // namespace lacuna::train
