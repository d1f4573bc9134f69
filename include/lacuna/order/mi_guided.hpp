/// @file
/// @brief order::mi_guided: positions by ascending entropy, each charged for its entropy and for what it shares with the
/// others.
///
/// A candidate costs H_i + lambda · Σ I(X_i; X_j) over the positions j already chosen in this step, and is chosen if the budget
/// of gamma nats pays for it; one that is too dear is passed over and the scan goes on. Nothing chosen: the candidate of least
/// entropy. lambda = 0 is a budget of entropy alone (order::entropy_bound also lets its last position in free). Choose it where
/// most positions are nearly certain, so that together they cost little, but some of them hang together; where every position
/// is uncertain order::dependence_bound gets further. gamma = 0 is one a step, except for positions without any entropy that
/// share nothing; an infinite gamma is all at once.
///
/// Any estimator fits. One that reads (a head on hidden states) costs no pass. One that probes is asked only for pairs that can
/// change the decision, which is the one that the whole matrix would lead to: none with H_i > gamma, and most steps ask
/// nothing or little. All probes of a step, and of all rows of a batch, go out together (beyond probe_list::usual_most for one
/// canvas in further rounds). With more `rounds` a step asks bit by bit: fewer rows, more calls, the same choices. Entropies
/// and information in nats, cleaned as concepts/pair_information.hpp says. Cost: 1 to `masks` passes, and the probes
/// (cost.of(purpose::probe)). Errors: negative or NaN gamma, negative or infinite lambda, and what the estimator refuses;
/// estimator_error where it gives no number. Neural Estimation of Pairwise Mutual Information in Masked Discrete Sequence
/// Models, arXiv 2605.20187 (the bookkeeping of the budget is our reading).
/// ```cpp
/// lacuna::order::mi_guided{lacuna::mi::pruned{1e-3}, 0.3}
/// lacuna::order::mi_guided{lacuna::mi::enumerated{}, 0.3, 1.0, lacuna::order::budget::threshold{}}
/// ```
#pragma once

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

template <mi_estimator Estimator, budget::is_budget Budget = budget::running>
struct mi_guided {
  [[no_unique_address]] Estimator estimator{};
  double gamma = 0.3;
  double lambda = 1;
  [[no_unique_address]] Budget spend{};
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
      throw invalid_argument("order::mi_guided: gamma = " + std::to_string(gamma) + " nats, expected at least 0");
    if (!(lambda >= 0 && std::isfinite(lambda)))
      throw invalid_argument("order::mi_guided: lambda = " + std::to_string(lambda) + ", expected a finite number, at least 0");
    if (rounds == 0) throw invalid_argument("order::mi_guided: rounds = 0, expected at least 1");
    lacuna::validate(estimator);
    lacuna::validate(spend);
  }

 private:
  struct cost {
    double operator()(double entropy, double dependence) const { return entropy + dependence; }
  };
  [[nodiscard]] scan_rule<cost, Budget> rule() const { return {gamma, lambda, rounds, {}, spend}; }
};
template <class Estimator>
mi_guided(Estimator) -> mi_guided<Estimator>;
template <class Estimator>
mi_guided(Estimator, double) -> mi_guided<Estimator>;
template <class Estimator>
mi_guided(Estimator, double, double) -> mi_guided<Estimator>;
template <class Estimator, class Budget>
mi_guided(Estimator, double, double, Budget) -> mi_guided<Estimator, Budget>;
template <class Estimator, class Budget>
mi_guided(Estimator, double, double, Budget, std::size_t) -> mi_guided<Estimator, Budget>;

}  // namespace lacuna::order
