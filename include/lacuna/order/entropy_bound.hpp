/// @file
/// @brief order::entropy_bound: positions in order of certainty until the entropy they add reaches gamma nats.
///
/// The largest prefix U of the candidates, sorted by a rank, with Σ_U H − max_U H <= gamma; at least one. That sum bounds the
/// mutual information that drawing U independently ignores, so gamma is the error allowed a step: choose it for draws from the
/// model's distribution, where confidences of single positions say little about their joint law. gamma = 0 is one at a time,
/// except for positions without any entropy, which come free.
/// Sorting by entropy (default) gives the longest prefix; rank::confidence and rank::margin unmask surer tokens first.
/// Cost: 1 to `masks` passes, sorting O(n log n) a step. Errors: negative gamma or NaN is refused.
/// EB-Sampler (Ben-Hamu et al. 2025, arXiv 2505.24857).
/// ```cpp
/// lacuna::order::entropy_bound{0.1}
/// lacuna::order::entropy_bound{0.1, lacuna::rank::margin{}}
/// ```
#pragma once

#include <cstddef>
#include <string>

#include "lacuna/concepts/order_policy.hpp"
#include "lacuna/concepts/rank_policy.hpp"
#include "lacuna/concepts/validate.hpp"
#include "lacuna/core/errors.hpp"
#include "lacuna/core/random.hpp"
#include "lacuna/core/selection.hpp"
#include "lacuna/core/statistics.hpp"
#include "lacuna/core/step_view.hpp"
#include "lacuna/rank/entropy.hpp"
#include "lacuna/rank/ranking.hpp"

namespace lacuna::order {

template <rank_policy Rank = rank::entropy>
struct entropy_bound {
  double gamma = 0.1;
  [[no_unique_address]] Rank by{};

  static constexpr statistics needs = statistics::entropy | needs_of<Rank>;
  using memory = rank::ranking;

  void select(const step_view& view, memory& scratch, selection& out, const step_random& rng) const {
    double largest = 0;
    double rest = 0;  // Σ H − max H, summed without taking the difference
    for (const std::size_t k : scratch.all(by, view, rng)) {
      const double h = view.entropy(k);
      if (h > largest) {
        rest += largest;
        largest = h;
      } else {
        rest += h;
      }
      if (!out.empty() && !(rest <= gamma)) break;
      out.add(k);
    }
  }

  void validate() const {
    if (!(gamma >= 0))
      throw invalid_argument("order::entropy_bound: gamma = " + std::to_string(gamma) + " nats, expected at least 0");
    lacuna::validate(by);
  }
};
entropy_bound()->entropy_bound<>;
entropy_bound(double)->entropy_bound<>;
template <class Rank>
entropy_bound(double, Rank) -> entropy_bound<Rank>;

}  // namespace lacuna::order
