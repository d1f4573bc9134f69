/// @file
/// @brief The curve of ReMDM's loop: reveal most, stay there while tokens are masked and drawn again, reveal the rest.
///
/// The share revealed rises linearly to `plateau` while diffusion time t = 1 - u falls from 1 to `t_on`, stays there until
/// `t_off`, and rises linearly to 1 at t = 0. One value of it goes to the order and to remask::remdm_loop:
/// ```cpp
/// constexpr lacuna::pace::loop_curve curve{.t_on = 0.55, .t_off = 0.05, .plateau = 0.9};
/// auto sampler = lacuna::compose(lacuna::order::ancestral{128, curve}, lacuna::draw::categorical{},
///                                lacuna::remask::remdm_loop{.eta = 0.02, .curve = curve});
/// ```
/// Wang et al., "Remasking Discrete Diffusion Models with Inference-Time Scaling", 2025 (arXiv 2503.00307).
#pragma once

#include <algorithm>
#include <string>

#include "lacuna/core/errors.hpp"

namespace lacuna::pace {

struct loop_curve {
  double t_on = 0.55;    ///< t at which the plateau begins
  double t_off = 0.05;   ///< t at which it ends
  double plateau = 0.9;  ///< share revealed on it

  /// Share revealed when a share u of the steps is done.
  [[nodiscard]] double revealed(double u) const {
    const double t = 1 - u;
    if (t > t_on) return std::min(plateau, plateau * u / (1 - t_on));
    if (t > t_off) return plateau;
    return t <= 0 ? 1.0 : 1 - t / t_off * (1 - plateau);
  }
  /// Whether a step that begins at diffusion time t lies on the plateau.
  [[nodiscard]] bool on_plateau(double t) const { return t <= t_on && t > t_off; }

  void validate() const {
    if (!(t_off > 0 && t_on > t_off && t_on < 1))
      throw invalid_argument("pace::loop_curve: t_on = " + std::to_string(t_on) + ", t_off = " + std::to_string(t_off) +
                             ", expected 0 < t_off < t_on < 1");
    if (!(plateau > 0 && plateau < 1))
      throw invalid_argument("pace::loop_curve: plateau = " + std::to_string(plateau) + ", expected between 0 and 1");
  }
};

}  // namespace lacuna::pace
