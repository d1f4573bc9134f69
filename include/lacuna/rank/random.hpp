/// @file
/// @brief rank::random: a fresh uniform number on [0, 1) for every position and step.
///
/// The unbiased order: any other rank changes what is sampled as soon as more than one position is unmasked a step. The
/// baseline to hold a rank against. Cost: one Philox block a candidate.
/// ```cpp
/// lacuna::order::top_k{lacuna::rank::random{}, lacuna::pace::linear{32}}  // the same as order::random{pace::linear{32}}
/// ```
#pragma once

#include <cstddef>

#include "lacuna/concepts/rank_policy.hpp"
#include "lacuna/core/random.hpp"
#include "lacuna/core/statistics.hpp"
#include "lacuna/core/step_view.hpp"

namespace lacuna::rank {

struct random {
  static constexpr statistics needs = statistics::none;
  static constexpr bool before_pass = true;

  double operator()(const step_view& view, std::size_t k, const step_random& rng) const {
    return rng.at(view.positions[k]).uniform();
  }
};

}  // namespace lacuna::rank
