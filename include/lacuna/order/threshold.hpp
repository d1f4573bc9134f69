/// @file
/// @brief order::threshold: every position whose score reaches tau, and always the best one.
///
/// Choose it to let the model decide how many positions it is sure of, one by one; it does not ask how their errors add up
/// (order::factor and order::entropy_bound do). By default tau is a probability, compared with the confidence; any rank will
/// do: with rank::entropy tau is minus an entropy in nats, with rank::margin a lead.
/// Cost: 1 to `masks` passes, O(n) a step. Errors: NaN is refused. Fast-dLLM (Wu et al. 2025, arXiv 2505.22618), there with
/// 0.9.
/// ```cpp
/// lacuna::order::threshold{0.9}
/// lacuna::order::threshold{-0.1, lacuna::rank::entropy{}}  // entropy at most a tenth of a nat
/// ```
#pragma once

#include <cstddef>

#include "lacuna/concepts/order_policy.hpp"
#include "lacuna/concepts/rank_policy.hpp"
#include "lacuna/concepts/validate.hpp"
#include "lacuna/core/errors.hpp"
#include "lacuna/core/random.hpp"
#include "lacuna/core/selection.hpp"
#include "lacuna/core/statistics.hpp"
#include "lacuna/core/step_view.hpp"
#include "lacuna/rank/confidence.hpp"

namespace lacuna::order {

template <rank_policy Rank = rank::confidence>
struct threshold {
  double tau = 0.9;
  [[no_unique_address]] Rank by{};

  static constexpr statistics needs = needs_of<Rank>;

  void select(const step_view& view, selection& out, const step_random& rng) const {
    std::size_t best = 0;
    double highest = 0;
    for (std::size_t k = 0; k < view.size(); ++k) {
      const double s = score(by, view, k, rng);
      if (k == 0 || s > highest) {
        best = k;
        highest = s;
      }
      if (s >= tau) out.add(k);
    }
    if (view.size() > 0) out.add(best);
  }

  void validate() const {
    if (tau != tau) throw invalid_argument("order::threshold: tau is NaN, expected a number");
    lacuna::validate(by);
  }
};
threshold()->threshold<>;
threshold(double)->threshold<>;
template <class Rank>
threshold(double, Rank) -> threshold<Rank>;

}  // namespace lacuna::order
