/// @file
/// @brief remask::p2: of masked and committed positions together the best stay or are revealed, the others are (again) masked.
///
/// Path planning with the model as its own planner. Which positions are known is decided anew in each step, by the
/// log-probability the model gives now to the committed token or to the drawn one: a token the context has turned against is
/// taken back. Choose it over the ReMDM policies, which take tokens back by chance, when quality at few steps matters more than
/// the law of the samples. `eta` multiplies the committed tokens' log-probabilities: 1 treats both alike, more takes back more,
/// 0 takes back nothing. P2 proper with order::top_k over rank::drawn: as many positions are known after a step as its pace
/// says, and they are the best. Another rank decides otherwise which are revealed, not which are taken back; order::ancestral,
/// which does not count what is known, falls behind its curve until the last step. Ties between a committed and a masked
/// position keep the committed one. Cost: `steps` of the order; the rows of committed positions are scored too; a step O(n)
/// some 20 times. Errors: negative, infinite or NaN eta is refused.
/// Peng et al., "Path Planning for Masked Diffusion Model Sampling", 2025 (arXiv 2502.03540).
/// ```cpp
/// auto sampler = lacuna::compose(lacuna::order::top_k{lacuna::rank::drawn{}, lacuna::pace::linear{32}},
///                                lacuna::draw::categorical{0.8}, lacuna::remask::p2{.eta = 1.5});
/// ```
#pragma once

#include <cmath>
#include <cstddef>
#include <string>

#include "lacuna/concepts/remask_policy.hpp"
#include "lacuna/core/cut.hpp"
#include "lacuna/core/errors.hpp"
#include "lacuna/core/random.hpp"
#include "lacuna/core/selection.hpp"
#include "lacuna/core/statistics.hpp"
#include "lacuna/core/step_view.hpp"

namespace lacuna::remask {

struct p2 {
  double eta = 1;

  static constexpr statistics needs = statistics::committed;

  void remask(const step_view& view, const committed_view& committed, selection& out, const step_random&) const {
    const std::size_t m = committed.size();
    const std::size_t all = m + view.size();
    const auto known = static_cast<std::size_t>(std::llround(view.time.revealed_next * static_cast<double>(all)));
    if (known >= all) return;
    const auto value = [&](std::size_t i) {
      if (i >= m) return view.drawn_log_probability[i - m];
      return eta == 0 ? 0.0 : eta * committed.log_probability[i];
    };
    double edge = infinity;  // values above it are known after the step, of those on it only some
    std::size_t places = 0;  // for committed positions on the edge, which come first
    if (known > 0) {
      edge = cut(all, static_cast<double>(known), value, [](std::size_t) { return 1.0; });
      places = known;
      for (std::size_t i = 0; i < all; ++i)
        if (value(i) > edge) --places;
    }
    for (std::size_t j = 0; j < m; ++j) {
      const double v = value(j);
      if (v > edge) continue;
      if (v == edge && places > 0)
        --places;
      else
        out.add(j);
    }
  }

  void validate() const {
    if (!(eta >= 0) || std::isinf(eta))
      throw invalid_argument("remask::p2: eta = " + std::to_string(eta) + ", expected finite and at least 0");
  }
};

}  // namespace lacuna::remask
