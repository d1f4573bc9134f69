/// @file
/// @brief order::klass: positions whose distribution is sure and has stopped moving.
///
/// A position is unmasked when its confidence exceeds tau and its row has changed by less than epsilon nats, KL(now ‖ before),
/// in each of the last `history` steps; all such positions at once. If there is none the fallback order chooses. Where
/// order::threshold trusts a confidence at once, this waits until it has proved stable against what was decoded meanwhile.
/// With history = 0 stability is not asked for.
/// Needs whole rows and remembers the last one of every masked position: masks × V doubles. Cost: 1 to `masks` passes, O(n V) a
/// step. Errors: NaN, tau outside of [0, 1] or negative epsilon is refused. Kim et al. 2025, arXiv 2511.05664 (KLASS).
/// ```cpp
/// lacuna::order::klass<>{.tau = 0.9, .epsilon = 0.01, .history = 2}
/// lacuna::order::klass{0.9, 0.01, 2, lacuna::order::top_k{lacuna::rank::margin{}}}
/// ```
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "lacuna/concepts/order_policy.hpp"
#include "lacuna/concepts/probing_order_policy.hpp"
#include "lacuna/concepts/validate.hpp"
#include "lacuna/core/errors.hpp"
#include "lacuna/core/random.hpp"
#include "lacuna/core/row.hpp"
#include "lacuna/core/selection.hpp"
#include "lacuna/core/statistics.hpp"
#include "lacuna/core/step_view.hpp"
#include "lacuna/order/top_k.hpp"

namespace lacuna::order {

template <order_policy Fallback = top_k<>>
requires(!probing_order_policy<Fallback>)  // it would ask in every step, needed or not
    struct klass {
  double tau = 0.9;
  double epsilon = 0.01;
  std::size_t history = 2;
  [[no_unique_address]] Fallback fallback{};

  static constexpr statistics needs = statistics::confidence | statistics::rows | needs_of<Fallback>;

  struct memory {
    struct track {
      std::size_t slot = 0;       ///< of its row in `rows`, from 1; 0: never seen
      std::size_t next_step = 0;  ///< the step after the one its row is of
      std::size_t stable = 0;     ///< steps in a row in which it moved less than epsilon
    };
    std::vector<track> tracks;  ///< by position, [L]
    std::vector<double> rows;   ///< [slots, V]
    std::size_t slots = 0;
    memory_of<Fallback> fallback{};

    /// As new, in the memory it has.
    void reset() {
      std::fill(tracks.begin(), tracks.end(), track{});
      slots = 0;
      if constexpr (requires { fallback.reset(); })
        fallback.reset();
      else
        fallback = memory_of<Fallback>{};
    }
  };

  void select(const step_view& view, memory& m, selection& out, const step_random& rng) const {
    const std::size_t v = view.vocabulary;
    if (m.tracks.empty()) {
      m.tracks.resize(view.sequence->size());
      m.rows.reserve(view.masked_at_start * v);
    }
    for (std::size_t k = 0; k < view.size(); ++k) {
      auto& t = m.tracks[view.positions[k]];
      const auto now = view.row(k);
      if (t.slot == 0) {
        t.slot = ++m.slots;
        m.rows.resize(m.slots * v);
      }
      const auto before = std::span{m.rows}.subspan((t.slot - 1) * v, v);
      const bool follows = t.next_step == view.step && view.step > 0;  // else the row is missing or of an older step
      t.stable = follows && kl_divergence(now, before) < epsilon ? t.stable + 1 : 0;
      t.next_step = view.step + 1;
      std::copy(now.begin(), now.end(), before.begin());
      if (t.stable >= history && view.confidence(k) > tau) out.add(k);
    }
    if (out.empty()) lacuna::select(fallback, view, m.fallback, out, rng);
  }

  void validate() const {
    if (!(tau >= 0 && tau <= 1))
      throw invalid_argument("order::klass: tau = " + std::to_string(tau) + ", expected a probability, 0 to 1");
    if (!(epsilon >= 0))
      throw invalid_argument("order::klass: epsilon = " + std::to_string(epsilon) + " nats, expected at least 0");
    lacuna::validate(fallback);
  }
};
klass()->klass<>;
klass(double)->klass<>;
klass(double, double)->klass<>;
klass(double, double, std::size_t)->klass<>;
template <class Fallback>
klass(double, double, std::size_t, Fallback) -> klass<Fallback>;

}  // namespace lacuna::order
