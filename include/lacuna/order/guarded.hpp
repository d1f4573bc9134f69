/// @file
/// @brief order::guarded: any order's choice, of which only those are revealed together that are nearly independent.
///
/// The inner order chooses a set; it is gone through in the order of choice, and a position is admitted if what it shares with
/// those already admitted, min(H_i, Σ I(X_i; X_j)), fits into what is left of gamma nats, as in order::dependence_bound. The
/// first is free, so at least one is revealed. Choose it around an order that decides for each position by itself, a learned
/// one say: such an order cannot break ties, and reveals both of two positions that are each as good as the other, where the
/// second should wait for the first. gamma = infinity is the inner order itself.
///
/// The inner order must not probe itself. Any estimator: one that probes is asked for all pairs of the inner order's choice, in
/// one call a step; one that reads costs no pass. What the inner order would have revealed waits for a later step, so a step
/// budget of its own (order::learned) is then one of steps that it chose in, and the last of them may not be the last.
/// ```cpp
/// lacuna::order::guarded{lacuna::order::learned{head, 5}, lacuna::mi::pruned{1e-3}, 0.1}
/// ```
/// Errors: negative or NaN gamma, what inner order and estimator refuse; estimator_error where it gives no number. Ours.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "lacuna/concepts/mi_estimator.hpp"
#include "lacuna/concepts/order_policy.hpp"
#include "lacuna/concepts/pair_information.hpp"
#include "lacuna/concepts/probing_order_policy.hpp"
#include "lacuna/concepts/validate.hpp"
#include "lacuna/core/canvas.hpp"
#include "lacuna/core/errors.hpp"
#include "lacuna/core/probe_list.hpp"
#include "lacuna/core/random.hpp"
#include "lacuna/core/selection.hpp"
#include "lacuna/core/statistics.hpp"
#include "lacuna/core/step_view.hpp"

namespace lacuna::order {

template <order_policy Inner, mi_estimator Estimator>
requires(!probing_order_policy<Inner>) struct guarded {
  Inner inner{};
  [[no_unique_address]] Estimator estimator{};
  double gamma = 0.01;

  static constexpr statistics needs = needs_of<Inner> | statistics::entropy | needs_for_pairs<Estimator>;
  struct memory {
    [[no_unique_address]] memory_of<Inner> inner{};
    [[no_unique_address]] memory_of<Estimator> estimator{};
    selection chosen;
    pair_information<Estimator> pairs;
  };

  void restrict_to(const canvas& c, memory& m,
                   std::vector<std::size_t>& positions) const requires restricting_order_policy<Inner> {
    inner.restrict_to(c, m.inner, positions);
  }
  time_step time(const step_view& view, memory& m) const requires timed_order_policy<Inner> {
    return inner.time(view, m.inner);
  }

  void ask(const step_view& view, memory& m, std::size_t round, probe_list& probes,
           const step_random& rng) const requires asks_probes<Estimator> {
    if (round == 0) {
      choose(view, m, rng);
      for (std::size_t a = 0; a < m.pairs.size(); ++a)
        for (std::size_t b = 0; b < m.pairs.size(); ++b)
          if (a != b && m.pairs.cap(a, b) > 0) m.pairs.want(a, b);
    }
    m.pairs.ask(estimator, view, probes, rng);
  }
  void learn(const step_view&, memory& m, std::size_t r, std::size_t t,
             std::span<const double> log_p) const requires asks_probes<Estimator> {
    m.pairs.learn(estimator, r, t, log_p);
  }

  void select(const step_view& view, memory& m, selection& out, const step_random& rng) const {
    if constexpr (!asks_probes<Estimator>) {
      choose(view, m, rng);
      if (m.pairs.size() > 1) m.pairs.read(estimator, view, m.estimator);
    }
    const std::span<const std::size_t> chosen = m.chosen.chosen();
    double left = gamma;
    for (std::size_t a = 0; a < chosen.size(); ++a) {
      double shared = 0;
      for (std::size_t b = 0; b < a; ++b)
        if (out.contains(chosen[b])) shared += m.pairs.most(a, b);
      const double cost = std::min(m.pairs.entropy(a), shared);
      if (!(cost <= left)) continue;
      left -= cost;
      out.add(chosen[a]);
    }
  }

  void validate() const {
    if (!(gamma >= 0))
      throw invalid_argument("order::guarded: gamma = " + std::to_string(gamma) + " nats, expected at least 0");
    lacuna::validate(inner);
    lacuna::validate(estimator);
  }

 private:
  void choose(const step_view& view, memory& m, const step_random& rng) const {
    m.chosen.reset(view.size());
    lacuna::select(inner, view, m.inner, m.chosen, rng);
    m.pairs.begin(view, m.chosen.chosen());
  }
};
template <class Inner, class Estimator>
guarded(Inner, Estimator) -> guarded<Inner, Estimator>;
template <class Inner, class Estimator>
guarded(Inner, Estimator, double) -> guarded<Inner, Estimator>;

}  // namespace lacuna::order
