/// @file
/// @brief rank::confidence: the probability of the most likely token.
///
/// The usual choice. It looks at the best token alone; rank::margin also at its rival, rank::entropy at the whole row,
/// rank::drawn at the token that will really be committed (the same under argmax draws).
/// Cost: nothing beyond the row's statistics. Mask-Predict (Ghazvininejad et al. 2019, arXiv 1904.09324).
/// ```cpp
/// lacuna::order::top_k{lacuna::rank::confidence{}, lacuna::pace::cosine{8}}
/// ```
#pragma once

#include <cstddef>

#include "lacuna/concepts/rank_policy.hpp"
#include "lacuna/core/statistics.hpp"
#include "lacuna/core/step_view.hpp"

namespace lacuna::rank {

struct confidence {
  static constexpr statistics needs = statistics::confidence;
  static constexpr bool is_probability = true;  ///< rank::gumbel adds its noise to the logarithm

  double operator()(const step_view& view, std::size_t k) const { return view.confidence(k); }
};

}  // namespace lacuna::rank
