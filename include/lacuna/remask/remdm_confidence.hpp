/// @file
/// @brief remask::remdm_confidence: tokens that were unsure when they were committed are masked again more often.
///
/// A rate σ from another ReMDM policy is divided among the m committed tokens by the softmax of −ψ_j, where ψ_j is the
/// probability token j had when it was committed: each is masked again with probability σ · softmax_j, one in all at most on
/// average. Choose it over the inner policy alone when confidences mean something, as they do for draws at low temperature.
/// remask::p2 asks what the model thinks of a token *now*. As in the paper's own sampler the order's rate does not rise in
/// return (this policy has no `rate` of its own): slightly less than the curve says is revealed until the last step. Cost:
/// `steps` of the order. Errors: what the inner policy refuses. ReMDM-conf.
/// ```cpp
/// auto sampler = lacuna::compose(lacuna::order::ancestral{256}, lacuna::draw::top_p{0.9},
///                                lacuna::remask::remdm_confidence{lacuna::remask::remdm_rescale{1.0}});
/// ```
#pragma once

#include <cmath>
#include <cstddef>

#include "lacuna/concepts/remask_policy.hpp"
#include "lacuna/concepts/validate.hpp"
#include "lacuna/core/random.hpp"
#include "lacuna/core/selection.hpp"
#include "lacuna/core/statistics.hpp"
#include "lacuna/core/step_view.hpp"
#include "lacuna/remask/remdm_rescale.hpp"

namespace lacuna::remask {

template <remask_policy Inner = remdm_rescale>
requires has_remask_rate<Inner>
struct remdm_confidence {
  Inner inner{};

  static constexpr statistics needs = needs_of<Inner>;

  void remask(const step_view& view, const committed_view& committed, selection& out, const step_random& rng) const {
    const double rate = inner.rate(view.time);
    double total = 0;
    for (std::size_t j = 0; j < committed.size(); ++j) total += weight(committed, j);
    for (std::size_t j = 0; j < committed.size(); ++j)
      if (rng.at(committed.positions[j]).bernoulli(rate * weight(committed, j) / total)) out.add(j);
  }

  void validate() const { lacuna::validate(inner); }

 private:
  /// exp(−ψ_j), between 1/e and 1.
  static double weight(const committed_view& committed, std::size_t j) {
    return std::exp(-std::exp(committed.commit_log_probability[j]));
  }
};
remdm_confidence()->remdm_confidence<>;
template <class Inner>
remdm_confidence(Inner) -> remdm_confidence<Inner>;

}  // namespace lacuna::remask
