/// @file
/// @brief order::dependence_bound: as many positions as are nearly independent of each other, however uncertain.
///
/// By ascending entropy, each candidate costs min(H_i, lambda · Σ I(X_i; X_j)) over the positions j already chosen in this
/// step; the first is free; a candidate is chosen if what is left of gamma nats pays for it, which takes its cost away. With
/// lambda = 1 the sum of the costs estimates, by the chain rule with pairs for sets, what drawing the chosen positions
/// independently loses (the Kullback–Leibler divergence from their joint distribution). Choose it for generation, where every
/// position is uncertain: an entropy budget lets such a position through alone only, this one lets it through with whatever it
/// has nothing to do with. gamma is small, .001 to .1; 0 puts together only what shares nothing at all.
///
/// Any estimator fits, as with order::mi_guided. A probing one is asked for nearly all pairs of uncertain candidates, as any of
/// them may be chosen: about as many rows as mi::estimate takes for the canvas, in one call a step. With more `rounds` it is
/// asked bit by bit: many fewer rows in more calls, the same choices. One that reads costs no pass. Cost: 1 to `masks` passes,
/// and the probes (cost.of(purpose::probe)). Errors: negative or NaN gamma, negative or infinite lambda, no round, and what the
/// estimator refuses; estimator_error where it gives no number. The rule is ours.
/// ```cpp
/// lacuna::order::dependence_bound{lacuna::mi::pruned{1e-3}, 0.01}
/// lacuna::order::dependence_bound{lacuna::mi::pruned{1e-3}, 0.01, 1.0, 8}   // up to 8 rounds of probes a step
/// ```
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <string>

#include "lacuna/concepts/mi_estimator.hpp"
#include "lacuna/concepts/validate.hpp"
#include "lacuna/core/errors.hpp"
#include "lacuna/core/probe_list.hpp"
#include "lacuna/core/random.hpp"
#include "lacuna/core/selection.hpp"
#include "lacuna/core/statistics.hpp"
#include "lacuna/core/step_view.hpp"
#include "lacuna/order/budget.hpp"
#include "lacuna/order/information_scan.hpp"

namespace lacuna::order {

template <mi_estimator Estimator>
struct dependence_bound {
  [[no_unique_address]] Estimator estimator{};
  double gamma = 0.01;
  double lambda = 1;
  std::size_t rounds = 1;

  static constexpr statistics needs = statistics::entropy | needs_for_pairs<Estimator>;
  using memory = information_scan<Estimator>;

  void ask(const step_view& view, memory& m, std::size_t round, probe_list& probes,
           const step_random& rng) const requires asks_probes<Estimator> {
    m.ask(estimator, rule(), view, round, probes, rng);
  }
  void learn(const step_view&, memory& m, std::size_t r, std::size_t t,
             std::span<const double> log_p) const requires asks_probes<Estimator> {
    m.learn(estimator, r, t, log_p);
  }
  void select(const step_view& view, memory& m, selection& out, const step_random&) const {
    m.select(estimator, rule(), view, out);
  }

  void validate() const {
    if (!(gamma >= 0))
      throw invalid_argument("order::dependence_bound: gamma = " + std::to_string(gamma) + " nats, expected at least 0");
    if (!(lambda >= 0 && std::isfinite(lambda)))
      throw invalid_argument("order::dependence_bound: lambda = " + std::to_string(lambda) +
                             ", expected a finite number, at least 0");
    if (rounds == 0) throw invalid_argument("order::dependence_bound: rounds = 0, expected at least 1");
    lacuna::validate(estimator);
  }

 private:
  struct cost {
    double operator()(double entropy, double dependence) const { return std::min(entropy, dependence); }
  };
  [[nodiscard]] scan_rule<cost, budget::running> rule() const { return {gamma, lambda, rounds, {}, {}}; }
};
template <class Estimator>
dependence_bound(Estimator) -> dependence_bound<Estimator>;
template <class Estimator>
dependence_bound(Estimator, double) -> dependence_bound<Estimator>;
template <class Estimator>
dependence_bound(Estimator, double, double) -> dependence_bound<Estimator>;
template <class Estimator>
dependence_bound(Estimator, double, double, std::size_t) -> dependence_bound<Estimator>;

}  // namespace lacuna::order
