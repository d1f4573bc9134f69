/// @file
/// @brief likelihood::order_elbo: what one path of revealing says of the lower bound of log p(x) under a learned order.
///
/// A learned order reveals position i in a step with probability pi_i; a posterior Q draws paths. Then
///
///     log p(x) >= E_Q Σ_t [ Σ_{i revealed} log p(x_i | x_t) + log p(r_t | x_t) - log q(r_t | x_t, x) ].
///
/// `plain` is the bracket along one path. `rao_blackwellised` sums r_t out given x_t,
///
///     Σ_t Σ_{i masked} rho_i log p(x_i | x_t) - KL( q(r_t) ‖ Bern(pi) ),
///
/// which has the same mean. Given x_t it does not vary with r_t at all; over whole paths it varies less where the posterior is
/// nearly sure (tau of .05 to .1, as published: 8 to 25 times less in the tests), and more where it is not: what is revealed
/// now is not revealed later, so that the noise that is summed out had cancelled. On the last step of the budget everything is
/// revealed, KL = 0. pi stays in [1e-4, 1 - 1e-4] (`clamped_reveal`). What the model and the head say comes as flat arrays in
/// the order of the path: log p of the true token at each masked position of each step, and the head's logit there. Nats. Cost:
/// none; the numbers took a pass for each step of the path. Errors: invalid_argument for arrays of another size. Source:
/// learned generation orders by variational inference; Rao-Blackwellisation as there.
#pragma once

#include <cmath>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "lacuna/core/errors.hpp"
#include "lacuna/likelihood/reveal_path.hpp"
#include "lacuna/likelihood/reveal_posterior.hpp"

namespace lacuna::likelihood {

/// pi of a logit, kept away from 0 and 1 without losing its gradient.
inline double clamped_reveal(double logit) { return 1e-4 + (1 - 2e-4) / (1 + std::exp(-logit)); }
/// d pi / d logit.
inline double clamped_reveal_slope(double logit) {
  const double s = 1 / (1 + std::exp(-logit));
  return (1 - 2e-4) * s * (1 - s);
}

/// One path's share of the bound.
struct order_bound {
  double reconstruction = 0;  ///< what the tokens cost: at most 0
  double divergence = 0;      ///< of the posterior from the order; at least 0 in the mean

  /// beta = 1 is the bound.
  [[nodiscard]] double nats(double beta = 1) const { return reconstruction - beta * divergence; }
};

inline void check_along(const reveal_path& path, std::size_t log_p, std::size_t logits) {
  if (log_p != path.size() || logits != path.size())
    throw invalid_argument("likelihood: " + std::to_string(log_p) + " log-probabilities and " + std::to_string(logits) +
                           " logits along a path of " + std::to_string(path.size()) + " places");
}

namespace detail {

inline std::vector<double> reveal_of(std::span<const double> logits) {
  std::vector<double> pi;
  pi.reserve(logits.size());
  for (const double l : logits) pi.push_back(clamped_reveal(l));
  return pi;
}

}  // namespace detail

/// Each step's share of the Rao-Blackwellised bound.
template <reveal_posterior Q>
std::vector<order_bound> rao_blackwellised_steps(const Q& posterior, std::span<const double> scores, const reveal_path& path,
                                                 std::span<const double> log_p, std::span<const double> logits) {
  check_along(path, log_p.size(), logits.size());
  std::vector<order_bound> steps(path.steps());
  std::vector<double> p, rho, nowhere;
  for (std::size_t t = 0; t < path.steps(); ++t) {
    const std::span<const double> at = path.slice(log_p, t);
    if (path.forced(t)) {
      for (const double one : at) steps[t].reconstruction += one;
      continue;
    }
    p.resize(at.size());
    rho.resize(at.size());
    nowhere.assign(2 * at.size(), 0.0);
    posterior.rates(scores_of(scores, path.masked(t)), p);
    marginals<Q>(p, rho);
    for (std::size_t k = 0; k < at.size(); ++k) steps[t].reconstruction += rho[k] * at[k];
    steps[t].divergence = divergence<Q>(p, detail::reveal_of(path.slice(logits, t)), 0, std::span{nowhere}.first(at.size()),
                                        std::span{nowhere}.last(at.size()));
  }
  return steps;
}

/// The Rao-Blackwellised bound of one path.
template <reveal_posterior Q>
order_bound rao_blackwellised(const Q& posterior, std::span<const double> scores, const reveal_path& path,
                              std::span<const double> log_p, std::span<const double> logits) {
  order_bound sum;
  for (const order_bound& step : rao_blackwellised_steps(posterior, scores, path, log_p, logits)) {
    sum.reconstruction += step.reconstruction;
    sum.divergence += step.divergence;
  }
  return sum;
}

/// Log of the probability with which the posterior draws the path.
template <reveal_posterior Q>
double log_posterior(const Q& posterior, std::span<const double> scores, const reveal_path& path) {
  double sum = 0;
  std::vector<double> p, nowhere;
  for (std::size_t t = 0; t < path.steps(); ++t) {
    if (path.forced(t)) continue;
    p.resize(path.masked(t).size());
    nowhere.assign(p.size(), 0.0);
    posterior.rates(scores_of(scores, path.masked(t)), p);
    sum += log_probability<Q>(p, path.revealed(t), 0, nowhere);
  }
  return sum;
}

/// Log of the probability with which the order takes the path, and reveals these tokens on it: log p(x, r).
inline double log_joint(const reveal_path& path, std::span<const double> log_p, std::span<const double> logits) {
  check_along(path, log_p.size(), logits.size());
  double sum = 0;
  for (std::size_t t = 0; t < path.steps(); ++t)
    for (std::size_t k = path.begin(t); k < path.begin(t) + path.masked(t).size(); ++k) {
      const bool now = path.revealed(t)[k - path.begin(t)] != 0;
      if (now) sum += log_p[k];
      if (path.forced(t)) continue;
      const double pi = clamped_reveal(logits[k]);
      sum += now ? std::log(pi) : std::log1p(-pi);
    }
  return sum;
}

/// The plain bound of one path.
template <reveal_posterior Q>
order_bound plain(const Q& posterior, std::span<const double> scores, const reveal_path& path, std::span<const double> log_p,
                  std::span<const double> logits) {
  order_bound b;
  for (std::size_t t = 0; t < path.steps(); ++t)
    for (std::size_t k = 0; k < path.masked(t).size(); ++k)
      if (path.revealed(t)[k] != 0) b.reconstruction += log_p[path.begin(t) + k];
  b.divergence = log_posterior(posterior, scores, path) + b.reconstruction - log_joint(path, log_p, logits);
  return b;
}

}  // namespace lacuna::likelihood
