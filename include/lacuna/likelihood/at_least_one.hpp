/// @file
/// @brief likelihood::at_least_one: each masked position is revealed with a probability of its own, given that some is.
///
/// p_i = sigmoid(s_i / tau), apart from each other and conditioned on at least one. The only one of the posteriors in which a
/// score means something by itself, not beside those of others: low ones everywhere reveal one position, high ones all.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <string>

#include "lacuna/core/errors.hpp"
#include "lacuna/likelihood/reveal_posterior.hpp"

namespace lacuna::likelihood {

struct at_least_one {
  double tau = 1;

  static constexpr bool nonempty = true;

  void rates(std::span<const double> scores, std::span<double> p) const {
    for (std::size_t i = 0; i < scores.size(); ++i)
      p[i] = std::clamp(1 / (1 + std::exp(-scores[i] / tau)), least_rate, 1 - rate_gap);
  }

  void add_gradient(std::span<const double> scores, std::span<const double> p, std::span<const double> dp,
                    std::span<double> ds) const {
    for (std::size_t i = 0; i < scores.size(); ++i)
      if (p[i] > least_rate && p[i] < 1 - rate_gap) ds[i] += dp[i] * p[i] * (1 - p[i]) / tau;
  }

  void validate() const {
    if (!(tau > 0 && std::isfinite(tau)))
      throw invalid_argument("likelihood::at_least_one: tau = " + std::to_string(tau) + ", expected a number more than 0");
  }
};

}  // namespace lacuna::likelihood
