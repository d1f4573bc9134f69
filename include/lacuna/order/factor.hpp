/// @file
/// @brief order::factor: as many of the most confident positions as can be wrong together with little probability.
///
/// With confidences c_(1) >= c_(2) >= …, the largest n with (n + 1)(1 − c_(n)) < f: the more positions at once, the surer each
/// has to be; at least one. Where order::threshold asks each position alone, this bounds the joint error of argmax draws.
/// Cost: 1 to `masks` passes, sorting O(n log n) a step. Errors: negative f or NaN is refused. Fast-dLLM (Wu et al. 2025,
/// arXiv 2505.22618), there with f = 1.
/// ```cpp
/// auto sampler = lacuna::compose(lacuna::order::factor{1.0}, lacuna::draw::argmax{});
/// ```
#pragma once

#include <cstddef>
#include <string>

#include "lacuna/concepts/order_policy.hpp"
#include "lacuna/core/errors.hpp"
#include "lacuna/core/random.hpp"
#include "lacuna/core/selection.hpp"
#include "lacuna/core/statistics.hpp"
#include "lacuna/core/step_view.hpp"
#include "lacuna/rank/confidence.hpp"
#include "lacuna/rank/ranking.hpp"

namespace lacuna::order {

struct factor {
  double f = 1;

  static constexpr statistics needs = statistics::confidence;
  using memory = rank::ranking;

  void select(const step_view& view, memory& scratch, selection& out, const step_random& rng) const {
    double n = 0;
    for (const std::size_t k : scratch.all(rank::confidence{}, view, rng)) {
      n += 1;
      // both factors grow with n: the first that fails ends the prefix
      if (n > 1 && !((n + 1) * (1 - view.confidence(k)) < f)) break;
      out.add(k);
    }
  }

  void validate() const {
    if (!(f >= 0)) throw invalid_argument("order::factor: f = " + std::to_string(f) + ", expected at least 0");
  }
};

}  // namespace lacuna::order
