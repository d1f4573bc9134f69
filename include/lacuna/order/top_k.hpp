/// @file
/// @brief order::top_k: the best positions by a rank, as many as a pace asks for.
///
/// The classic: choose it when the number of passes is fixed beforehand. How many positions a step reveals depends on the pace
/// alone, not on how sure the model is; order::threshold, order::factor and order::entropy_bound let the model decide.
/// Under a timed pace (linear, cosine) it can be composed with remasking: it then reveals what the pace is ahead of what is
/// revealed after remasking, on the full grid of steps even if these are more than the masks.
/// Cost: pace::constant{k}: ⌈masks / k⌉ passes; timed paces: min(steps, masks) passes, with remasking `steps`. Sorting O(n log
/// n) a step. Errors: what rank and pace refuse. Mask-Predict (Ghazvininejad et al. 2019, arXiv 1904.09324), MaskGIT (Chang et
/// al. 2022, arXiv 2202.04200), LLaDA (Nie et al. 2025, arXiv 2502.09992).
/// ```cpp
/// lacuna::order::top_k{}                                                            // the most confident position a step
/// lacuna::order::top_k{lacuna::rank::margin{}, lacuna::pace::constant{4}}           // four a step
/// lacuna::order::top_k{lacuna::rank::gumbel{4.5}, lacuna::pace::cosine{12}}         // MaskGIT
/// ```
#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>

#include "lacuna/concepts/order_policy.hpp"
#include "lacuna/concepts/rank_policy.hpp"
#include "lacuna/concepts/validate.hpp"
#include "lacuna/core/pace.hpp"
#include "lacuna/core/random.hpp"
#include "lacuna/core/selection.hpp"
#include "lacuna/core/statistics.hpp"
#include "lacuna/core/step_view.hpp"
#include "lacuna/rank/confidence.hpp"
#include "lacuna/rank/ranking.hpp"

namespace lacuna::order {

template <rank_policy Rank = rank::confidence, pace::is_pace Pace = pace::constant>
struct top_k {
  [[no_unique_address]] Rank by{};
  Pace at{};

  static constexpr statistics needs = needs_of<Rank>;
  using memory = rank::ranking;

  void select(const step_view& view, memory& scratch, selection& out, const step_random& rng) const {
    for (const std::size_t k : scratch.best(count(view), by, view, rng)) out.add(k);
  }

  /// Place of the step on the grid of the pace.
  time_step time(const step_view& view, memory&) const requires pace::is_timed_pace<Pace> {
    const std::size_t steps = at.steps;
    const double masks = static_cast<double>(view.masked_at_start);
    const double before = static_cast<double>(view.masked_at_start - view.masked_now) / masks;
    if (view.step + 1 >= steps)
      return {before, 1, 0, static_cast<double>(std::min(view.step, steps)) / static_cast<double>(steps)};
    const auto share = [&](std::size_t step) { return static_cast<double>(step) / static_cast<double>(steps); };
    // The curve itself, not the pace's target: that is at least one a step, and here a step may have nothing to reveal.
    const auto target = std::llround(at.revealed(share(view.step + 1)) * masks);
    return {before, static_cast<double>(target) / masks, steps - view.step - 1, share(view.step)};
  }

  void validate() const {
    lacuna::validate(by);
    lacuna::validate(at);
  }

 private:
  std::size_t count(const step_view& view) const {
    const std::size_t revealed = view.masked_at_start - view.masked_now;
    if (view.time.remaining > 0) {  // with remasking, and the clock is running: nothing to reveal is fine
      const auto target =
          static_cast<std::size_t>(std::llround(view.time.revealed_next * static_cast<double>(view.masked_at_start)));
      return target > revealed ? target - revealed : 0;
    }
    if constexpr (std::same_as<Pace, pace::constant>) return at.k;  // also after a step that had fewer candidates
    const std::size_t target = at.target(view.step, view.masked_at_start);
    return target > revealed ? target - revealed : 1;
  }
};
top_k()->top_k<>;
template <class Rank>
top_k(Rank) -> top_k<Rank>;
template <class Rank, class Pace>
top_k(Rank, Pace) -> top_k<Rank, Pace>;

}  // namespace lacuna::order
