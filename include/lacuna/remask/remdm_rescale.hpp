/// @file
/// @brief remask::remdm_rescale: every committed token is masked again with eta times the admissible probability.
///
/// σ = eta · σ_max: much remasking early, when little is known and σ_max is 1, less towards the end. remask::remdm_cap is the
/// same rate all along. Cost: `steps` of the order. Errors: eta outside of [0, 1] is refused.
/// ReMDM-rescale; the paper uses 0.015.
/// ```cpp
/// auto sampler = lacuna::compose(lacuna::order::ancestral{1024}, lacuna::draw::top_p{0.9},
///                                lacuna::remask::remdm_rescale{0.015});
/// ```
#pragma once

#include "lacuna/concepts/remask_policy.hpp"
#include "lacuna/core/random.hpp"
#include "lacuna/core/selection.hpp"
#include "lacuna/core/statistics.hpp"
#include "lacuna/core/step_view.hpp"
#include "lacuna/remask/remdm.hpp"

namespace lacuna::remask {

struct remdm_rescale {
  double eta = 0.015;

  static constexpr statistics needs = statistics::none;

  [[nodiscard]] double rate(const time_step& time) const { return eta * largest_rate(time); }

  void remask(const step_view& view, const committed_view& committed, selection& out, const step_random& rng) const {
    mask_each(rate(view.time), committed, out, rng);
  }

  void validate() const { validate_eta("remask::remdm_rescale", eta); }
};

}  // namespace lacuna::remask
