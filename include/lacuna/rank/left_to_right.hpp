/// @file
/// @brief rank::left_to_right: lower positions first.
///
/// For order policies that take a rank and shall respect the reading order; order::left_to_right is the policy itself and
/// has the model score nothing else. Cost: none.
/// ```cpp
/// lacuna::order::top_k{lacuna::rank::left_to_right{}, lacuna::pace::cosine{8}}
/// ```
#pragma once

#include <cstddef>

#include "lacuna/concepts/rank_policy.hpp"
#include "lacuna/core/statistics.hpp"
#include "lacuna/core/step_view.hpp"

namespace lacuna::rank {

struct left_to_right {
  static constexpr statistics needs = statistics::none;
  static constexpr bool before_pass = true;

  double operator()(const step_view& view, std::size_t k) const { return -static_cast<double>(view.positions[k]); }
};

}  // namespace lacuna::rank
