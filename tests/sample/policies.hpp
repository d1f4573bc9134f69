/// @file
/// @brief The smallest policies that exercise the loop.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "lacuna/core/pace.hpp"
#include "lacuna/core/random.hpp"
#include "lacuna/core/row.hpp"
#include "lacuna/core/selection.hpp"
#include "lacuna/core/step_view.hpp"

namespace lacuna::tests {

/// Lowest index of the largest probability.
struct best {
  token draw(std::span<double> log_p, random_stream&) const { return argmax(log_p); }
};

/// From the distribution.
struct sampled {
  token draw(std::span<double> log_p, random_stream& rng) const {
    double u = rng.uniform();
    std::size_t last = 0;
    for (std::size_t v = 0; v < log_p.size(); ++v) {
      if (!(log_p[v] > -infinity)) continue;
      last = v;
      u -= std::exp(log_p[v]);
      if (u < 0) break;
    }
    return static_cast<token>(last);
  }
};

/// The k candidates furthest left.
struct leftmost {
  std::size_t k = 1;
  static constexpr statistics needs = statistics::none;
  void select(const step_view& view, selection& out, const step_random&) const {
    for (std::size_t i = 0; i < std::min(k, view.size()); ++i) out.add(i);
  }
};

/// The k surest candidates, ties to the left.
struct surest {
  std::size_t k = 1;
  static constexpr statistics needs = statistics::confidence;
  void select(const step_view& view, selection& out, const step_random&) const {
    while (out.size() < std::min(k, view.size())) {
      std::size_t top = 0;
      double c = -1;
      for (std::size_t i = 0; i < view.size(); ++i)
        if (!out.contains(i) && view.confidence(i) > c) {
          c = view.confidence(i);
          top = i;
        }
      out.add(top);
    }
  }
};

/// Every candidate of at least this confidence: possibly none.
struct surer_than {
  double tau = 0.9;
  static constexpr statistics needs = statistics::confidence;
  void select(const step_view& view, selection& out, const step_random&) const {
    for (std::size_t i = 0; i < view.size(); ++i)
      if (view.confidence(i) >= tau) out.add(i);
  }
};

/// Any k candidates, by the step's random numbers.
struct shuffled {
  std::size_t k = 1;
  static constexpr statistics needs = statistics::none;
  void select(const step_view& view, selection& out, const step_random& rng) const {
    random_stream stream = rng.whole();
    while (out.size() < std::min(k, view.size())) out.add(stream.below(view.size()));
  }
};

/// As many as a pace asks for, the least entropy first, ties to the left.
template <class Pace>
struct paced {
  Pace pace{};
  static constexpr statistics needs = statistics::entropy | statistics::margin;
  void validate() const { pace.validate(); }
  void select(const step_view& view, selection& out, const step_random&) const {
    const std::size_t revealed = view.masked_at_start - view.masked_now;
    const std::size_t target = pace.target(view.step, view.masked_at_start);
    const std::size_t k = std::min(view.size(), target > revealed ? target - revealed : 0);
    while (out.size() < k) {
      std::size_t top = 0;
      double h = infinity;
      for (std::size_t i = 0; i < view.size(); ++i)
        if (!out.contains(i) && view.entropy(i) < h) {
          h = view.entropy(i);
          top = i;
        }
      out.add(top);
    }
  }
};

/// All candidates at once.
struct everything {
  static constexpr statistics needs = statistics::none;
  void select(const step_view& view, selection& out, const step_random&) const {
    for (std::size_t i = 0; i < view.size(); ++i) out.add(i);
  }
};

/// Blocks of `size` positions from the left, each finished before the next, by an inner order.
template <class Inner>
struct in_blocks {
  std::size_t size = 4;
  Inner inner{};
  static constexpr statistics needs = needs_of<Inner>;
  struct memory {};
  void restrict_to(const canvas& c, memory&, std::vector<std::size_t>& positions) const {
    std::size_t first = 0;
    while (first < c.size() && !c.is_masked(first)) ++first;
    const std::size_t end = (first / size + 1) * size;
    std::erase_if(positions, [end](std::size_t i) { return i >= end; });
  }
  void select(const step_view& view, memory&, selection& out, const step_random& rng) const { inner.select(view, out, rng); }
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
    if (view.time.remaining == 0)
      everything{}.select(view, out, rng);
    else
      shuffled{k}.select(view, out, rng);
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
