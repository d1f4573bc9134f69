/// @file
/// @brief remask_policy: which committed tokens return to the mask.
#pragma once

#include <concepts>
#include <cstddef>

#include "lacuna/core/random.hpp"
#include "lacuna/core/selection.hpp"
#include "lacuna/core/step_view.hpp"

namespace lacuna {

/// r.remask(view, committed, selection&, rng): adds to the selection the indices j (0 <= j < committed.size()) of the
/// committed positions to mask again. Called before the order policy selects; fixed positions are never among them, and it is
/// not called in the last step (view.time.remaining == 0). Needs an order that knows its number of steps
/// (timed_order_policy).
template <class R>
concept remask_policy = std::copy_constructible<R> &&
    requires(const R& r, const step_view& view, const committed_view& committed, selection& out, const step_random& rng) {
  r.remask(view, committed, out, rng);
};

/// r.rate(time_step) -> the probability with which a committed token is remasked; the order reveals correspondingly more.
template <class R>
concept has_remask_rate = requires(const R& r, const time_step& time) {
  { r.rate(time) } -> std::convertible_to<double>;
};

}  // namespace lacuna
