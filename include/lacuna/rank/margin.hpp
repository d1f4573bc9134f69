/// @file
/// @brief rank::margin: the probability of the most likely token minus that of the second.
///
/// Puts off positions torn between two tokens, which rank::confidence may take early when the rest of the row is flat.
/// Cost: nothing beyond the row's statistics. Kim et al., "Train for the Worst, Plan for the Best", 2025 (arXiv 2502.06768).
/// ```cpp
/// lacuna::order::top_k{lacuna::rank::margin{}, lacuna::pace::constant{4}}
/// ```
#pragma once

#include <cstddef>

#include "lacuna/concepts/rank_policy.hpp"
#include "lacuna/core/statistics.hpp"
#include "lacuna/core/step_view.hpp"

namespace lacuna::rank {

struct margin {
  static constexpr statistics needs = statistics::margin;
  static constexpr bool is_probability = true;  ///< rank::gumbel adds its noise to the logarithm

  double operator()(const step_view& view, std::size_t k) const { return view.margin(k); }
};

}  // namespace lacuna::rank
