/// @file
/// @brief mi_estimator: says how much two masked positions tell about each other, I(X_i; X_j | what is known), in nats.
///
/// There are two kinds. One *reads* it off the pass that was made anyway (a trained head on hidden states: no passes of its
/// own); the other *probes*: it puts values at one position, and sees how the rows of the others change. Both are const values
/// that never call a model, so that they serve in an order policy, where the rows of a batch share calls, as well as in
/// mi::estimate. What is estimated is directed (a network's conditionals need not agree with each other) and may be below zero
/// or not symmetric; pair_information cleans it. Anything not finite is an estimator_error that names the pair.
/// ```cpp
/// struct my_head {  // reads
///   static constexpr auto needs = lacuna::statistics::hidden;
///   struct memory { std::vector<float> projected; };  // scratch of one row of a batch, optional
///   void estimate(const lacuna::step_view& view, std::span<const std::size_t> candidates, memory& scratch,
///                 std::span<double> out) const;       // out [m, m], of candidates a and b at a * m + b
/// };
/// ```
/// A probing estimator names the values to put at a position, with weights, and a type `gathered` for what is kept of the rows
/// that come back; mi/enumerated.hpp is the shortest.
#pragma once

#include <concepts>
#include <cstddef>
#include <span>
#include <vector>

#include "lacuna/concepts/hidden_state_model.hpp"
#include "lacuna/concepts/order_policy.hpp"
#include "lacuna/concepts/ragged_model.hpp"
#include "lacuna/core/random.hpp"
#include "lacuna/core/statistics.hpp"
#include "lacuna/core/step_view.hpp"

namespace lacuna {

/// A value put at a probed position, and its weight in the mean over values.
struct probe_value {
  token value = 0;
  double weight = 0;
};

/// e.estimate(view, candidates, memory&, out): from the view alone, for all pairs of the candidates listed (indices into the
/// view, m of them, in any order), out [m, m] with (a, b) at a * m + b; the diagonal is not looked at.
template <class E>
concept reading_mi_estimator = std::copy_constructible<E> && std::default_initializable<memory_of<E>> &&
    requires(const E& e, const step_view& view, std::span<const std::size_t> candidates, memory_of<E>& memory,
             std::span<double> out) {
  e.estimate(view, candidates, memory, out);
};

/// e.values(log_p, values, rng): appends the values to put at a position with the row `log_p` [V], and their weights.
template <class E>
concept names_probe_values = requires(const E& e, std::span<const double> log_p, std::vector<probe_value>& values,
                                      random_stream rng) {
  e.values(log_p, values, rng);
};

/// E::gathered, what is kept of the rows of one probed position while its values come in:
/// - begin(e, n, V): of n other positions, nothing yet; keeps its memory
/// - add(t, weight, log_p): the row [V] of the t-th of them, under a value of that weight; values come in any order, so that
///   what must not depend on it is summed in a fixed_sum
/// - information(t, entropy): when all are in; `entropy` is that of the row of t before anything was put in
template <class E>
concept gathers_probes = std::default_initializable<typename E::gathered> &&
    requires(const E& e, typename E::gathered g, const typename E::gathered seen, std::size_t n, double number,
             std::span<const double> log_p) {
  g.begin(e, n, n);
  g.add(n, number, log_p);
  { seen.information(n, number) } -> std::convertible_to<double>;
};

/// seen.error(t): how far `information` may be off, a bound or a standard error, whichever the estimator says.
template <class E>
concept tells_probe_error = requires(const typename E::gathered seen, std::size_t t) {
  { seen.error(t) } -> std::convertible_to<double>;
};

template <class E>
concept probing_mi_estimator = std::copy_constructible<E> && names_probe_values<E> && gathers_probes<E>;

/// An estimator of either kind; spelled out once more so that compilers name the expressions they miss.
template <class E>
concept estimates_pairs = requires(const E& e, const step_view& view, std::span<const std::size_t> candidates,
                                   memory_of<E>& memory, std::span<double> out, std::span<const double> log_p,
                                   std::vector<probe_value>& values, random_stream rng) {
  requires requires { e.estimate(view, candidates, memory, out); } || requires {
    e.values(log_p, values, rng);
    typename E::gathered;
  };
};

template <class E>
concept mi_estimator = estimates_pairs<E> &&(reading_mi_estimator<E> || probing_mi_estimator<E>);

/// An estimator that has to probe. (One that can do both reads.)
template <class E>
concept asks_probes = mi_estimator<E> && !reading_mi_estimator<E>;

/// What a policy needs that uses estimator E: what the estimator names, and the rows whose values are put in.
template <mi_estimator E>
inline constexpr statistics needs_for_pairs = needs_of<E> | (asks_probes<E> ? statistics::rows : statistics::none);

/// An estimator that reads hidden states fits models that show them.
template <class E, class M>
concept mi_estimator_for = decodable_model<M> && mi_estimator<E> &&
    (!contains(needs_of<E>, statistics::hidden) || hidden_state_model<M>);

}  // namespace lacuna
