/// @file
/// @brief order::random: positions uniformly at random, as many as a pace asks for.
///
/// One at a time it samples the model's joint distribution in a random order; it is what a masked diffusion model is trained
/// for, and the baseline for every order that looks at the model. order::ancestral also draws *how many* are revealed.
/// Composes with remasking under a timed pace. Cost: as order::top_k, without any statistics.
/// ```cpp
/// lacuna::order::random{}                            // one a step
/// lacuna::order::random{lacuna::pace::linear{32}}    // all in 32 steps
/// ```
#pragma once

#include "lacuna/concepts/order_policy.hpp"
#include "lacuna/concepts/validate.hpp"
#include "lacuna/core/pace.hpp"
#include "lacuna/core/random.hpp"
#include "lacuna/core/selection.hpp"
#include "lacuna/core/statistics.hpp"
#include "lacuna/core/step_view.hpp"
#include "lacuna/order/top_k.hpp"
#include "lacuna/rank/random.hpp"

namespace lacuna::order {

template <pace::is_pace Pace = pace::constant>
struct random {
  Pace at{};

  static constexpr statistics needs = statistics::none;
  using memory = rank::ranking;

  void select(const step_view& view, memory& scratch, selection& out, const step_random& rng) const {
    by_rank().select(view, scratch, out, rng);
  }
  time_step time(const step_view& view, memory& scratch) const requires pace::is_timed_pace<Pace> {
    return by_rank().time(view, scratch);
  }
  void validate() const { lacuna::validate(at); }

 private:
  [[nodiscard]] top_k<rank::random, Pace> by_rank() const { return {{}, at}; }
};
random()->random<>;
template <class Pace>
random(Pace) -> random<Pace>;

}  // namespace lacuna::order
