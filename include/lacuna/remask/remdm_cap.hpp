/// @file
/// @brief remask::remdm_cap: every committed token is masked again with probability eta, as far as admissible.
///
/// The plain form of ReMDM: the same rate all along, σ = min(eta, σ_max). Choose it (or remask::remdm_rescale, which follows
/// the admissible rate) when many steps are affordable: errors of early steps can be undone, and quality keeps rising with the
/// number of steps. remask::p2 chooses by score instead of chance. Cost: `steps` of the order. Errors: eta outside of [0, 1] is
/// refused. ReMDM-cap; the paper uses .008 for 1024 steps, .04 for 128.
/// ```cpp
/// auto sampler = lacuna::compose(lacuna::order::ancestral{128}, lacuna::draw::top_p{0.9}, lacuna::remask::remdm_cap{0.04});
/// ```
#pragma once

#include <algorithm>

#include "lacuna/concepts/remask_policy.hpp"
#include "lacuna/core/random.hpp"
#include "lacuna/core/selection.hpp"
#include "lacuna/core/statistics.hpp"
#include "lacuna/core/step_view.hpp"
#include "lacuna/remask/remdm.hpp"

namespace lacuna::remask {

struct remdm_cap {
  double eta = 0.02;

  static constexpr statistics needs = statistics::none;

  [[nodiscard]] double rate(const time_step& time) const { return std::min(eta, largest_rate(time)); }

  void remask(const step_view& view, const committed_view& committed, selection& out, const step_random& rng) const {
    mask_each(rate(view.time), committed, out, rng);
  }

  void validate() const { validate_eta("remask::remdm_cap", eta); }
};

}  // namespace lacuna::remask
