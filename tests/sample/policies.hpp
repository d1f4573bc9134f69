/// @file
/// @brief Policies the library has no reason to have, which exercise the loop, and short names for some it has.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "lacuna/core/pace.hpp"
#include "lacuna/core/random.hpp"
#include "lacuna/core/selection.hpp"
#include "lacuna/core/step_view.hpp"
#include "lacuna/draw/argmax.hpp"
#include "lacuna/draw/categorical.hpp"
#include "lacuna/order/blocks.hpp"
#include "lacuna/order/left_to_right.hpp"
#include "lacuna/order/random.hpp"
#include "lacuna/order/threshold.hpp"
#include "lacuna/order/top_k.hpp"
#include "lacuna/rank/confidence.hpp"
#include "lacuna/rank/entropy.hpp"

namespace lacuna::tests {

/// The k positions the model is surest of, ties to the left.
inline auto surest(std::size_t k) { return order::top_k{rank::confidence{}, pace::constant{k}}; }

/// All candidates at once.
inline constexpr order::threshold everything{0.0};

/// Not a single candidate.
struct selects_nothing {
  static constexpr statistics needs = statistics::none;
  void select(const step_view&, selection&, const step_random&) const {}
};

/// k at random by a clock of `steps` steps; everything in the last one.
struct timed {
  std::size_t steps = 8;
  std::size_t k = 2;
  static constexpr statistics needs = statistics::none;
  struct memory {
    std::size_t asked = 0;
  };
  time_step time(const step_view&, memory& m) const {
    const std::size_t now = std::min(m.asked++, steps - 1);
    const auto share = [&](std::size_t s) { return static_cast<double>(s) / static_cast<double>(steps); };
    return {share(now), share(now + 1), steps - 1 - now};
  }
  void select(const step_view& view, memory&, selection& out, const step_random& rng) const {
    const std::size_t n = view.time.remaining == 0 ? view.size() : std::min(k, view.size());
    random_stream stream = rng.whole();
    while (out.size() < n) out.add(stream.below(view.size()));
  }
};

/// Masks each committed token again with probability `rate`.
struct sometimes {
  double p = 0.3;
  static constexpr statistics needs = statistics::none;
  void remask(const step_view&, const committed_view& committed, selection& out, const step_random& rng) const {
    for (std::size_t j = 0; j < committed.size(); ++j)
      if (rng.at(committed.positions[j]).bernoulli(p)) out.add(j);
  }
};

/// Masks the committed tokens again that the model now finds less probable than `floor`.
struct doubtful {
  double floor = 0.1;
  static constexpr statistics needs = statistics::committed;
  void remask(const step_view&, const committed_view& committed, selection& out, const step_random&) const {
    for (std::size_t j = 0; j < committed.size(); ++j)
      if (committed.log_probability[j] < std::log(floor)) out.add(j);
  }
};

}  // namespace lacuna::tests
