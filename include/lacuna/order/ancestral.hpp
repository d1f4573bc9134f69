/// @file
/// @brief order::ancestral: each masked position is revealed with the probability of the reverse diffusion process.
///
/// The sampler a masked diffusion model is derived with: on a grid of `steps` steps along a curve α, a step from α_t to α_s
/// reveals each masked position, independently, with probability (α_s − α_t) / (1 − α_t); the last step reveals the rest.
/// Choose it where the law of the samples matters; order::random{pace::linear{S}} reveals the expected number and varies less.
/// With draw::categorical it is MDLM's, MD4's and SEDD-absorb's ancestral sampler. A grid step that reveals nothing would leave
/// the model's input as it was, so the order goes on to the next one that does within the same step: the same law, fewer
/// passes.
///
/// With remasking at rate σ (view.remask_rate) the probability is (α_s − (1 − σ) α_t) / (1 − α_t), which keeps the share
/// revealed on the curve, and every grid step is a step of its own, that may reveal nothing. Cost: at most min(steps, masks)
/// passes; with remasking `steps`. Errors: steps = 0 is refused. Sahoo et al. 2024, arXiv 2406.07524 (MDLM); Shi et al. 2024,
/// arXiv 2406.04329 (MD4); Wang et al. 2025, arXiv 2503.00307 (ReMDM).
/// ```cpp
/// lacuna::order::ancestral{64}                                      // linear grid
/// lacuna::order::ancestral{64, lacuna::pace::cosine_curve{}}
/// ```
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>

#include "lacuna/concepts/order_policy.hpp"
#include "lacuna/concepts/validate.hpp"
#include "lacuna/core/errors.hpp"
#include "lacuna/core/pace.hpp"
#include "lacuna/core/random.hpp"
#include "lacuna/core/selection.hpp"
#include "lacuna/core/statistics.hpp"
#include "lacuna/core/step_view.hpp"

namespace lacuna::order {

/// c.revealed(u): the share revealed when a share u of the steps is done, non-decreasing from 0 at u = 0 to 1 at u = 1.
template <class C>
concept reveal_curve = std::copyable<C> && requires(const C& c, double u) {
  { c.revealed(u) } -> std::convertible_to<double>;
};

template <reveal_curve Curve = pace::linear_curve>
struct ancestral {
  std::size_t steps = 64;
  [[no_unique_address]] Curve curve{};

  static constexpr statistics needs = statistics::none;
  struct memory {
    std::size_t index = 0;   ///< grid steps done
    bool remasking = false;  ///< then the index is that of the run
  };

  void select(const step_view& view, memory& m, selection& out, const step_random& rng) const {
    if (m.remasking) {
      const double now = view.time.revealed_now;
      const bool all = view.time.remaining == 0 || now >= 1;  // the grid is over, here or in this block
      const double reveal = all ? 1.0 : (view.time.revealed_next - (1 - view.remask_rate) * now) / (1 - now);
      for (std::size_t k = 0; k < view.size(); ++k)
        if (all || uniform(view, k, rng) < reveal) out.add(k);
      return;
    }
    // Position k is revealed in the first grid step whose probability, counted from here, exceeds its uniform number u_k. The
    // smallest u says which step that is for the first position, and so for the whole step.
    double smallest = 1;
    for (std::size_t k = 0; k < view.size(); ++k) smallest = std::min(smallest, uniform(view, k, rng));
    std::size_t below = m.index;  // reveals nothing
    std::size_t next = steps;     // reveals something: by the last step all
    if (below >= steps) below = steps - 1;
    while (next - below > 1) {
      const std::size_t middle = below + (next - below) / 2;
      (revealed_by(middle, m.index) > smallest ? next : below) = middle;
    }
    const double reveal = revealed_by(next, m.index);
    for (std::size_t k = 0; k < view.size(); ++k)
      if (uniform(view, k, rng) < reveal) out.add(k);
    m.index = next;
  }

  /// Place of the step on the grid. Only asked for in compositions that remask.
  time_step time(const step_view& view, memory& m) const {
    m.remasking = true;
    if (view.step + 1 >= steps) return {alpha(std::min(view.step, steps)), 1, 0, share(std::min(view.step, steps))};
    return {alpha(view.step), alpha(view.step + 1), steps - view.step - 1, share(view.step)};
  }

  void validate() const {
    if (steps == 0) throw invalid_argument("order::ancestral: steps = 0, expected at least 1");
    lacuna::validate(curve);
  }

 private:
  [[nodiscard]] double share(std::size_t index) const { return static_cast<double>(index) / static_cast<double>(steps); }
  [[nodiscard]] double alpha(std::size_t index) const { return index >= steps ? 1.0 : curve.revealed(share(index)); }
  /// Probability that a position masked at grid index `from` is revealed by index `to`.
  [[nodiscard]] double revealed_by(std::size_t to, std::size_t from) const {
    return to >= steps ? 1.0 : (alpha(to) - alpha(from)) / (1 - alpha(from));
  }
  static double uniform(const step_view& view, std::size_t k, const step_random& rng) {
    return rng.at(view.positions[k]).uniform();
  }
};
ancestral()->ancestral<>;
ancestral(std::size_t)->ancestral<>;
template <class Curve>
ancestral(std::size_t, Curve) -> ancestral<Curve>;

}  // namespace lacuna::order
