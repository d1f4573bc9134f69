#include "samplers_information.hpp"

#include <cstddef>
#include <string>
#include <utility>
#include <variant>

#include "lacuna/mi/pruned.hpp"
#include "lacuna/order/budget.hpp"
#include "lacuna/order/dependence_bound.hpp"
#include "lacuna/order/mi_guided.hpp"
#include "lacuna/order/punt.hpp"
#include "sampler_parts.hpp"

namespace sudoku {
namespace {

using namespace lacuna;

// Two compositions for each rule, one that probes and one that reads: mi=exact is mi::pruned that prunes nothing.

/// budget
struct chosen_budget {
  std::variant<order::budget::running, order::budget::threshold, order::budget::running_entropy> chosen;

  [[nodiscard]] double after(double left, double cost, double entropy) const {
    return std::visit([&](const auto& budget) { return budget.after(left, cost, entropy); }, chosen);
  }
};

chosen_budget budget_of(parameter_reader& p) {
  const std::string name = p.word("budget", "running", {"running", "threshold", "running_entropy"});
  if (name == "threshold") return {order::budget::threshold{}};
  if (name == "running_entropy") return {order::budget::running_entropy{}};
  return {order::budget::running{}};
}

/// `make(estimator)` with the estimator that mi= names.
template <class Make>
named_sampler with_estimator(parameter_reader& p, estimator_slot* slot, Make make) {
  const std::string name = p.word("mi", "pruned", {"exact", "pruned", "neural"});
  if (name == "neural") {
    if (slot == nullptr) p.refuse("mi=neural, expected exact or pruned: there is no trained estimator here");
    named_sampler s = make(slot->promised());
    s.estimator_seconds = slot->seconds();
    return s;
  }
  return make(mi::pruned{name == "exact" ? 0.0 : p.number("epsilon", 1e-3)});
}

/// rounds, of which only an estimator that probes makes use.
template <class Estimator>
std::size_t rounds_of(parameter_reader& p) {
  return asks_probes<Estimator> ? p.count("rounds", 1) : 1;
}

named_sampler mi_guided(parameter_reader& p, estimator_slot* slot) {
  const double gamma = p.number("gamma", 0.3);
  const double lambda = p.number("lambda", 1);
  return with_estimator(p, slot, [&]<class Estimator>(Estimator estimator) {
    const chosen_budget budget = budget_of(p);
    return made_of(p, order::mi_guided{std::move(estimator), gamma, lambda, budget, rounds_of<Estimator>(p)});
  });
}

named_sampler dependence_bound(parameter_reader& p, estimator_slot* slot) {
  const double gamma = p.number("gamma", 0.01);
  const double lambda = p.number("lambda", 1);
  return with_estimator(p, slot, [&]<class Estimator>(Estimator estimator) {
    return made_of(p, order::dependence_bound{std::move(estimator), gamma, lambda, rounds_of<Estimator>(p)});
  });
}

named_sampler punt(parameter_reader& p, estimator_slot*) {
  const double epsilon = p.number("epsilon", 0.05);
  named_sampler s = made_of(p, order::punt{epsilon, rank_of(p, "confidence")});
  s.probes_are_passes = true;
  return s;
}

constexpr information_kind kinds[] = {
    {"mi_guided",
     "cells by entropy while entropy + lambda x information shared with cells of this pass fits in gamma nats; "
     "mi=exact|pruned|neural, budget=running|threshold|running_entropy",
     mi_guided},
    {"dependence_bound",
     "cells by entropy while lambda x information shared with cells of this pass fits in gamma nats; mi=exact|pruned|neural",
     dependence_bound},
    {"punt", "cells that do not move each other by more than epsilon nats, found by tests; these count as passes", punt},
};

}  // namespace

std::span<const information_kind> information_kinds() { return kinds; }

}  // namespace sudoku
