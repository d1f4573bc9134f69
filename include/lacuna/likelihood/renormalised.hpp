/// @file
/// @brief likelihood::renormalised: the best position that is still masked is revealed, others the likelier the nearer they
/// come.
///
/// p_i = exp((s_i - max s) / tau) over the positions still masked, renormalised in each step: the best is certain. A small tau
/// reveals one at a time in the order of the scores, a large one all at once. The published form, with our limit: of the others
/// none is more than 1 - rate_gap, so that ties leave gradients finite.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <string>

#include "lacuna/core/errors.hpp"
#include "lacuna/likelihood/reveal_posterior.hpp"

namespace lacuna::likelihood {

struct renormalised {
  double tau = 0.1;

  void rates(std::span<const double> scores, std::span<double> p) const {
    const std::size_t best = best_of(scores);
    for (std::size_t i = 0; i < scores.size(); ++i)
      p[i] = i == best ? 1 : std::max(least_rate, (1 - rate_gap) * std::exp((scores[i] - scores[best]) / tau));
  }

  void add_gradient(std::span<const double> scores, std::span<const double> p, std::span<const double> dp,
                    std::span<double> ds) const {
    const std::size_t best = best_of(scores);
    for (std::size_t i = 0; i < scores.size(); ++i) {
      if (i == best || p[i] == least_rate) continue;
      const double slope = dp[i] * p[i] / tau;
      ds[i] += slope;
      ds[best] -= slope;
    }
  }

  void validate() const {
    if (!(tau > 0 && std::isfinite(tau)))
      throw invalid_argument("likelihood::renormalised: tau = " + std::to_string(tau) + ", expected a number more than 0");
  }

 private:
  static std::size_t best_of(std::span<const double> scores) {
    return static_cast<std::size_t>(std::max_element(scores.begin(), scores.end()) - scores.begin());
  }
};

}  // namespace lacuna::likelihood
