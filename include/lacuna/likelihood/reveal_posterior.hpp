/// @file
/// @brief Which masked positions are revealed together, given a score of each: the approximate posterior of a learned order.
///
/// A posterior is a struct of two members: `rates(scores [n], p [n])` gives each of the n positions still masked a probability,
/// and `add_gradient(scores, p, dp [n], ds [n])` adds to ds what dp is in terms of the scores. Positions are then revealed
/// apart from each other with these probabilities; if it says `static constexpr bool nonempty = true;`, conditioned on at least
/// one being revealed. likelihood/renormalised.hpp, softmax_share.hpp and at_least_one.hpp are three. The functions here are
/// what follows from the rates for each: marginals, draws, log-probabilities, the divergence from independent draws with other
/// probabilities, and the gradients of these with respect to the scores.
///
/// A rate is 0 < p < 1, or 1 where a position is certain to be revealed whatever its score: that one has no gradient. Nats.
/// Errors: none are thrown; scores must be finite. O(n) each.
#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "lacuna/core/random.hpp"

namespace lacuna::likelihood {

template <class Q>
concept reveal_posterior = std::copy_constructible<Q> &&
    requires(const Q& q, std::span<const double> in, std::span<double> out) {
  q.rates(in, out);
  q.add_gradient(in, in, in, out);
};

/// Whether at least one position is revealed because the draw is conditioned on it.
template <class Q>
inline constexpr bool conditioned = false;
template <class Q>
requires requires { Q::nonempty; }
inline constexpr bool conditioned<Q> = Q::nonempty;

/// Rates stay this far from 0 and from 1, where gradients of their logarithms have no bounds.
inline constexpr double least_rate = 1e-12;
inline constexpr double rate_gap = 1e-3;

/// Log of the probability that none of independent positions is revealed.
inline double log_none(std::span<const double> p) {
  double sum = 0;
  for (const double one : p) sum += std::log1p(-one);
  return sum;
}

/// Log of the probability that at least one is; 0 if nothing is conditioned on that.
template <reveal_posterior Q>
double log_some(std::span<const double> p) {
  if constexpr (!conditioned<Q>) return 0;
  return std::log(-std::expm1(log_none(p)));
}

/// rho_i, the probability that position i is revealed, from the rates.
template <reveal_posterior Q>
void marginals(std::span<const double> p, std::span<double> rho) {
  const double some = std::exp(log_some<Q>(p));
  std::transform(p.begin(), p.end(), rho.begin(), [&](double one) { return one / some; });
}

/// Turns the gradient with respect to rho into that with respect to the rates, in place.
template <reveal_posterior Q>
void marginals_backward(std::span<const double> p, std::span<double> gradient) {
  if constexpr (conditioned<Q>) {  // d rho_i / d p_k = [i = k] / Z - p_i / Z² · (1 - Z) / (1 - p_k)
    const double log_z = log_some<Q>(p);
    const double z = std::exp(log_z);
    const double none = std::exp(log_none(p));
    double along = 0;
    for (std::size_t i = 0; i < p.size(); ++i) along += gradient[i] * p[i];
    for (std::size_t k = 0; k < p.size(); ++k) gradient[k] = gradient[k] / z - along / (z * z) * none / (1 - p[k]);
  }
}

/// Draws which positions are revealed.
template <reveal_posterior Q>
void draw_revealed(std::span<const double> p, random_stream& rng, std::span<std::uint8_t> revealed) {
  const auto draw_from = [&](std::size_t first) {
    for (std::size_t i = first; i < p.size(); ++i) revealed[i] = rng.bernoulli(p[i]) ? 1 : 0;
  };
  draw_from(0);
  if (!conditioned<Q> || std::count(revealed.begin(), revealed.end(), std::uint8_t{1}) > 0) return;
  // None: drawn again given that there is one, the first of them and then freely. Trying again could take for ever.
  double u = rng.uniform() * -std::expm1(log_none(p));
  double none_before = 1;
  std::size_t first = 0;
  for (; first + 1 < p.size(); ++first) {
    u -= none_before * p[first];
    if (u < 0) break;
    none_before *= 1 - p[first];
  }
  revealed[first] = 1;
  draw_from(first + 1);
}

/// Log of the probability of having drawn these, -infinity if they cannot be; its gradient with respect to the rates times
/// `weight` is added to dp.
template <reveal_posterior Q>
double log_probability(std::span<const double> p, std::span<const std::uint8_t> revealed, double weight, std::span<double> dp) {
  if (conditioned<Q> && std::count(revealed.begin(), revealed.end(), std::uint8_t{1}) == 0)
    return -std::numeric_limits<double>::infinity();
  double sum = 0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    if (p[i] == 1) {
      if (revealed[i] == 0) return -std::numeric_limits<double>::infinity();
      continue;
    }
    sum += revealed[i] != 0 ? std::log(p[i]) : std::log1p(-p[i]);
    dp[i] += weight * (revealed[i] != 0 ? 1 / p[i] : -1 / (1 - p[i]));
  }
  if constexpr (conditioned<Q>) {
    const double odds = std::exp(log_none(p) - log_some<Q>(p));
    for (std::size_t i = 0; i < p.size(); ++i) dp[i] -= weight * odds / (1 - p[i]);
    sum -= log_some<Q>(p);
  }
  return sum;
}

/// KL of the draw from independent draws with probabilities pi; its gradients times `weight` are added: with respect to the
/// rates to dp, with respect to pi to dpi.
template <reveal_posterior Q>
double divergence(std::span<const double> p, std::span<const double> pi, double weight, std::span<double> dp,
                  std::span<double> dpi) {
  // Σ rho log(p / pi) + (1 - rho) log((1 - p) / (1 - pi)) - log Z, with rho = p / Z.
  const double log_z = log_some<Q>(p);
  const double z = std::exp(log_z);
  double sum = -log_z;
  double along = 0;  // d sum / d rho_i · p_i
  for (std::size_t i = 0; i < p.size(); ++i) {
    const double rho = p[i] / z;
    const double yes = std::log(p[i] / pi[i]);
    dpi[i] += weight * ((1 - rho) / (1 - pi[i]) - rho / pi[i]);
    if (p[i] == 1) {
      sum += yes;
      continue;
    }
    const double no = std::log1p(-p[i]) - std::log1p(-pi[i]);
    sum += rho * yes + (1 - rho) * no;
    along += (yes - no) * p[i];
    dp[i] += weight * ((yes - no) / z + rho / p[i] - (1 - rho) / (1 - p[i]));
  }
  if constexpr (conditioned<Q>) {
    const double none = std::exp(log_none(p));
    for (std::size_t k = 0; k < p.size(); ++k) dp[k] -= weight * (along / (z * z) + 1 / z) * none / (1 - p[k]);
  }
  return sum;
}

}  // namespace lacuna::likelihood
