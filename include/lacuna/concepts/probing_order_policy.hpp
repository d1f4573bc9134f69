/// @file
/// @brief probing_order_policy: an order that may ask the model what would follow from a token before it decides.
///
/// ```cpp
/// struct my_order {  // unmasks the first candidate, and the second if that is as sure when the first is filled in
///   static constexpr auto needs = lacuna::statistics::rows;
///   struct memory { bool as_sure = false; };
///   void ask(const lacuna::step_view& view, memory& m, std::size_t round, lacuna::probe_list& probes,
///            const lacuna::step_random&) const {
///     m.as_sure = round > 0 && m.as_sure;
///     if (round > 0 || view.size() < 2) return;
///     probes.add();
///     probes.put(view.positions[0], view.drawn[0]);
///     probes.want(view.positions[1]);
///   }
///   void learn(const lacuna::step_view& view, memory& m, std::size_t, std::size_t, std::span<const double> log_p) const {
///     m.as_sure = !log_p.empty() && lacuna::kl_divergence(log_p, view.row(1)) < 0.01;
///   }
///   void select(const lacuna::step_view&, memory& m, lacuna::selection& out, const lacuna::step_random&) const {
///     out.add(0);
///     if (m.as_sure) out.add(1);
///   }
/// };
/// ```
/// In each step `ask` is called with round 0, 1, … until it adds no probe; the probes of a round are scored together with those
/// of all other rows of the batch, for purpose::probe. Every wanted row is then handed to `learn`, in any order, once. Then
/// `select` decides as that of any order. The view is the same throughout the step. `compose` sees by this concept that an
/// order probes. An order must stop asking by itself.
#pragma once

#include <cstddef>
#include <span>

#include "lacuna/concepts/order_policy.hpp"
#include "lacuna/core/probe_list.hpp"

namespace lacuna {

/// p.ask(view, memory&, round, probe_list&, rng): adds what must be known before the policy can decide.
template <class P>
concept asks_for_probes = requires(const P& p, const step_view& view, memory_of<P>& memory, std::size_t round,
                                   probe_list& probes, const step_random& rng) {
  p.ask(view, memory, round, probes, rng);
};

/// p.learn(view, memory&, r, t, log_p): the t-th row wanted by the r-th probe of the round, log-probabilities [V] with
/// forbidden tokens removed; empty if the model gave no token any mass there.
template <class P>
concept learns_from_probes = requires(const P& p, const step_view& view, memory_of<P>& memory, std::size_t r, std::size_t t,
                                      std::span<const double> log_p) {
  p.learn(view, memory, r, t, log_p);
};

template <class P>
concept probing_order_policy = order_policy<P> && asks_for_probes<P> && learns_from_probes<P>;

}  // namespace lacuna
