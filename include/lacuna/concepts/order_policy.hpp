/// @file
/// @brief order_policy: which set of candidates to unmask now. The axis most of the library is about.
///
/// ```cpp
/// struct all_certain {  // unmask everything with entropy below a nat
///   static constexpr auto needs = lacuna::statistics::entropy;
///   void select(const lacuna::step_view& view, lacuna::selection& out, const lacuna::step_random&) const {
///     for (std::size_t k = 0; k < view.size(); ++k)
///       if (view.entropy(k) < 1) out.add(k);
///   }
/// };
/// ```
/// If nothing is selected the loop unmasks the first candidate: a step always makes progress. Only where tokens are masked
/// again, and while steps remain on the order's time grid (view.time.remaining > 0), does an empty selection mean "reveal
/// nothing now": there the grid ends the run. Policies are const values and hold no state of a run; one that must remember
/// something between steps names a type `memory`.
#pragma once

#include <concepts>
#include <cstddef>
#include <vector>

#include "lacuna/core/canvas.hpp"
#include "lacuna/core/random.hpp"
#include "lacuna/core/selection.hpp"
#include "lacuna/core/step_view.hpp"

namespace lacuna {

/// Stands for "remembers nothing".
struct no_memory {};

template <class P>
struct memory_type {
  using type = no_memory;
};
template <class P>
requires requires { typename P::memory; }
struct memory_type<P> {
  using type = typename P::memory;
};
/// The state a policy keeps for one row during one run: `P::memory` or no_memory.
template <class P>
using memory_of = typename memory_type<P>::type;

/// p.select(view, selection&, rng).
template <class P>
concept forgetful_order_policy = requires(const P& p, const step_view& view, selection& out, const step_random& rng) {
  p.select(view, out, rng);
};

/// P::memory (default-constructible) and p.select(view, memory&, selection&, rng).
template <class P>
concept remembering_order_policy = requires {
  typename P::memory;
}
&&std::default_initializable<memory_of<P>>&& requires(const P& p, const step_view& view, memory_of<P>& memory, selection& out,
                                                      const step_random& rng) {
  p.select(view, memory, out, rng);
};

/// p.select in one of the two forms. Spelled out once more, not as a disjunction of the two, so that a compiler that refuses a
/// policy names the expressions it misses.
template <class P>
concept has_select = requires(const P& p, const step_view& view, memory_of<P>& memory, selection& out, const step_random& rng) {
  requires requires { p.select(view, out, rng); } || requires {
    typename P::memory;
    p.select(view, memory, out, rng);
  };
};

template <class P>
concept order_policy = std::copy_constructible<P> && std::default_initializable<memory_of<P>> && has_select<P>;

/// p.restrict_to(canvas, memory&, positions): removes from the ascending list of masked positions those that cannot be
/// unmasked in this step, before the pass, so that a selective model need not score them. At least one must remain. Called
/// once a step; in compositions that remask it is called again with the committed positions, to limit what may be masked
/// again (there, none need remain), so a second call in a step must not move `memory` on.
template <class P>
concept restricting_order_policy = order_policy<P> &&
    requires(const P& p, const canvas& c, memory_of<P>& memory, std::vector<std::size_t>& positions) {
  p.restrict_to(c, memory, positions);
};

/// p.time(view, memory&) -> time_step: an order that knows its number of steps, which remasking needs.
template <class P>
concept timed_order_policy = order_policy<P> && requires(const P& p, const step_view& view, memory_of<P>& memory) {
  { p.time(view, memory) } -> std::same_as<time_step>;
};

/// Calls `select` in whichever form P has.
template <order_policy P>
void select(const P& p, const step_view& view, memory_of<P>& memory, selection& out, const step_random& rng) {
  if constexpr (remembering_order_policy<P>)
    p.select(view, memory, out, rng);
  else
    p.select(view, out, rng);
}

}  // namespace lacuna
