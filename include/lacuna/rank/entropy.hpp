/// @file
/// @brief rank::entropy: lowest entropy of the row first. The score is −H in nats.
///
/// Looks at the whole row: choose it for draws from the row (draw::categorical), where every token counts, and for
/// order::entropy_bound. Cost: one more exponential a logit. Dream's "entropy" order (Ye et al. 2025, arXiv 2508.15487).
/// ```cpp
/// lacuna::order::top_k{lacuna::rank::entropy{}, lacuna::pace::linear{16}}
/// ```
#pragma once

#include <cstddef>

#include "lacuna/concepts/rank_policy.hpp"
#include "lacuna/core/statistics.hpp"
#include "lacuna/core/step_view.hpp"

namespace lacuna::rank {

struct entropy {
  static constexpr statistics needs = statistics::entropy;

  double operator()(const step_view& view, std::size_t k) const { return -view.entropy(k); }
};

}  // namespace lacuna::rank
