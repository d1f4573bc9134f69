/// @file
/// @brief order::left_to_right: the first k masked positions.
///
/// Autoregressive decoding with a model that also sees what is to the right; exact for k = 1 with draw::categorical. Inside a
/// block use order::blocks around any order. Cost: ⌈masks / k⌉ passes, of which each scores k positions only (on a
/// selective_model). Errors: k = 0 is refused.
/// ```cpp
/// lacuna::order::left_to_right{}
/// lacuna::order::left_to_right{.k = 4}
/// ```
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "lacuna/concepts/order_policy.hpp"
#include "lacuna/core/canvas.hpp"
#include "lacuna/core/errors.hpp"
#include "lacuna/core/random.hpp"
#include "lacuna/core/selection.hpp"
#include "lacuna/core/statistics.hpp"
#include "lacuna/core/step_view.hpp"

namespace lacuna::order {

struct left_to_right {
  std::size_t k = 1;

  static constexpr statistics needs = statistics::none;

  void select(const step_view& view, selection& out, const step_random&) const {
    for (std::size_t i = 0; i < std::min(k, view.size()); ++i) out.add(i);
  }

  /// Nothing else need be scored.
  void restrict_to(const canvas&, no_memory&, std::vector<std::size_t>& positions) const {
    if (positions.size() > k) positions.resize(k);
  }

  void validate() const {
    if (k == 0) throw invalid_argument("order::left_to_right: k = 0, expected at least 1 position a step");
  }
};

}  // namespace lacuna::order
