/// @file
/// @brief remask::remdm_loop: reveal most of the sequence, then mask and draw parts of it again and again, then finish.
///
/// While diffusion time is between t_on and t_off the share revealed stands still and committed tokens are masked again at rate
/// eta; outside nothing is. Choose it to correct at a point where much context is known. The order must follow the same curve:
/// give both one value of pace::loop_curve. Cost: `steps` of the order, of which the loop takes a share of t_on − t_off.
/// Errors: eta outside of [0, 1] or a curve without a plateau is refused. ReMDM-loop; the paper uses the defaults.
/// ```cpp
/// constexpr lacuna::pace::loop_curve curve{};
/// auto sampler = lacuna::compose(lacuna::order::ancestral{256, curve}, lacuna::draw::top_p{0.9},
///                                lacuna::remask::remdm_loop{.eta = 0.02, .curve = curve});
/// ```
#pragma once

#include <algorithm>

#include "lacuna/concepts/remask_policy.hpp"
#include "lacuna/core/loop_curve.hpp"
#include "lacuna/core/random.hpp"
#include "lacuna/core/selection.hpp"
#include "lacuna/core/statistics.hpp"
#include "lacuna/core/step_view.hpp"
#include "lacuna/remask/remdm.hpp"

namespace lacuna::remask {

struct remdm_loop {
  double eta = 0.02;
  pace::loop_curve curve{};

  static constexpr statistics needs = statistics::none;

  [[nodiscard]] double rate(const time_step& time) const {
    return curve.on_plateau(1 - time.elapsed) ? std::min(eta, largest_rate(time)) : 0.0;
  }

  void remask(const step_view& view, const committed_view& committed, selection& out, const step_random& rng) const {
    mask_each(rate(view.time), committed, out, rng);
  }

  void validate() const {
    validate_eta("remask::remdm_loop", eta);
    curve.validate();
  }
};

}  // namespace lacuna::remask
