/// @file
/// @brief likelihood::order_gradient: the gradient of the bound of a learned order, from K paths of one sequence.
///
/// The mean over K paths of the Rao-Blackwellised bound, with beta on the KL, has gradients with respect to
/// - each log p(x_i | x_t): rho_i / K, the weights of a weighted cross-entropy, for the model;
/// - each logit of the head;
/// - the scores: through rho in each step (pathwise), and through the choice of the path,
///   Σ_t (G_t - b_t) ∇ log q(r_t), where G_t is what comes after r_t and b_t a baseline.
///
/// Baselines: `leave_one_out`, the mean of G_t over the other K - 1 paths (RLOO); `no_baseline`, plain REINFORCE: the same
/// mean, more variance; `pathwise_only` leaves the choice of the path out, which is badly biased: to compare with. Along a path
/// a step that another one does not have counts as 0 there. Steps that reveal everything have no choice. Errors:
/// invalid_argument for no path, one path with leave_one_out, arrays of another size. O(K T n). Source: learned generation
/// orders by variational inference; RLOO: Kool et al. 2019.
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "lacuna/core/errors.hpp"
#include "lacuna/likelihood/order_elbo.hpp"

namespace lacuna::likelihood {

/// A path with what the model and the head say along it.
struct scored_path {
  reveal_path path;
  std::vector<double> log_p;   ///< [path.size()] of the true tokens
  std::vector<double> logits;  ///< [path.size()] of the head
};

/// What the K paths of one sequence come to. Gradients are of the mean bound, to be climbed.
struct order_gradient {
  std::vector<order_bound> bounds;          ///< [K]
  std::vector<std::vector<double>> log_p;   ///< [K][path.size()]
  std::vector<std::vector<double>> logits;  ///< [K][path.size()]
  std::vector<double> scores;               ///< [L]
  double advantage_variance = 0;            ///< mean square of G_t - b_t over steps with a choice
};

/// The mean of what comes after a step in the other paths.
struct leave_one_out {
  static constexpr std::size_t least_paths = 2;
  static constexpr bool scores_choices = true;
  /// `after`: of each path what comes after this step; of path k.
  [[nodiscard]] double operator()(std::span<const double> after, std::size_t k) const {
    const double sum = std::accumulate(after.begin(), after.end(), 0.0);
    return (sum - after[k]) / static_cast<double>(after.size() - 1);
  }
};

struct no_baseline {
  static constexpr std::size_t least_paths = 1;
  static constexpr bool scores_choices = true;
  [[nodiscard]] double operator()(std::span<const double>, std::size_t) const { return 0; }
};

struct pathwise_only {
  static constexpr std::size_t least_paths = 1;
  static constexpr bool scores_choices = false;
  [[nodiscard]] double operator()(std::span<const double>, std::size_t) const { return 0; }
};

template <class Baseline = leave_one_out, reveal_posterior Q>
order_gradient gradient_of(const Q& posterior, std::span<const double> scores, std::span<const scored_path> paths,
                           double beta = 1, const Baseline& baseline = {}) {
  if (paths.size() < Baseline::least_paths)
    throw invalid_argument("likelihood::order_gradient: " + std::to_string(paths.size()) + " paths, expected at least " +
                           std::to_string(Baseline::least_paths) +
                           (Baseline::least_paths > 1 ? ": a path's baseline is the mean of the others" : ""));
  const auto count = static_cast<double>(paths.size());
  order_gradient out;
  out.scores.assign(scores.size(), 0.0);
  std::size_t longest = 0;
  for (const scored_path& one : paths) longest = std::max(longest, one.path.steps());
  std::vector<std::vector<double>> after(longest, std::vector<double>(paths.size(), 0.0));  // [T][K] what comes after step t
  for (std::size_t k = 0; k < paths.size(); ++k) {
    const auto steps = rao_blackwellised_steps(posterior, scores, paths[k].path, paths[k].log_p, paths[k].logits);
    order_bound sum;
    for (std::size_t t = steps.size(); t-- > 0;) {
      after[t][k] = sum.nats(beta);
      sum.reconstruction += steps[t].reconstruction;
      sum.divergence += steps[t].divergence;
    }
    out.bounds.push_back(sum);
  }

  std::size_t choices = 0;
  std::vector<double> p, pi, dp, drho, dpi, ds;
  for (std::size_t k = 0; k < paths.size(); ++k) {
    const reveal_path& path = paths[k].path;
    out.log_p.emplace_back(path.size(), 0.0);
    out.logits.emplace_back(path.size(), 0.0);
    for (std::size_t t = 0; t < path.steps(); ++t) {
      const std::span<double> weights = path.slice(std::span{out.log_p.back()}, t);
      if (path.forced(t)) {
        std::fill(weights.begin(), weights.end(), 1 / count);
        continue;
      }
      const std::size_t n = weights.size();
      const std::span<const double> logits = path.slice(std::span{paths[k].logits}, t);
      const std::span<const double> log_p = path.slice(std::span{paths[k].log_p}, t);
      const std::vector<double> here = scores_of(scores, path.masked(t));
      p.resize(n);
      posterior.rates(here, p);
      marginals<Q>(p, weights);
      for (double& w : weights) w /= count;

      pi = detail::reveal_of(logits);
      dp.assign(n, 0.0);
      dpi.assign(n, 0.0);
      divergence<Q>(p, pi, -beta / count, dp, dpi);
      for (std::size_t i = 0; i < n; ++i) out.logits.back()[path.begin(t) + i] = dpi[i] * clamped_reveal_slope(logits[i]);
      drho.resize(n);
      for (std::size_t i = 0; i < n; ++i) drho[i] = log_p[i] / count;
      marginals_backward<Q>(p, drho);
      for (std::size_t i = 0; i < n; ++i) dp[i] += drho[i];
      if (Baseline::scores_choices) {
        const double advantage = after[t][k] - baseline(after[t], k);
        log_probability<Q>(p, path.revealed(t), advantage / count, dp);
        out.advantage_variance += (advantage * advantage - out.advantage_variance) / static_cast<double>(++choices);
      }
      ds.assign(n, 0.0);
      posterior.add_gradient(here, p, dp, ds);
      for (std::size_t i = 0; i < n; ++i) out.scores[path.masked(t)[i]] += ds[i];
    }
  }
  return out;
}

}  // namespace lacuna::likelihood
