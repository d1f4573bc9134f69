/// @file
/// @brief likelihood::softmax_share: each masked position is revealed with what its share of a softmax makes of n draws.
///
/// p_i = 1 - (1 - w_i)^(c), w = softmax(s / tau) over the positions still masked and c the number of them, times `pace`: the
/// chance of being among c draws with replacement. Equal scores reveal about 63 % at pace 1 whatever their number; a small tau
/// the best one nearly surely, and others hardly. Nothing is certain, so a step may reveal none.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <string>

#include "lacuna/core/errors.hpp"
#include "lacuna/likelihood/reveal_posterior.hpp"

namespace lacuna::likelihood {

struct softmax_share {
  double tau = 1;
  double pace = 1;

  void rates(std::span<const double> scores, std::span<double> p) const {
    const double draws = pace * static_cast<double>(scores.size());
    shares(scores, p);
    for (double& one : p) one = std::clamp(-std::expm1(draws * std::log1p(-std::min(one, largest))), least_rate, 1 - rate_gap);
  }

  void add_gradient(std::span<const double> scores, std::span<const double> p, std::span<const double> dp,
                    std::span<double> ds) const {
    // dp_i/dw_i = c (1 - p_i) / (1 - w_i), where no limit holds; dw_i/ds_k = w_i ([i = k] - w_k) / tau.
    const double draws = pace * static_cast<double>(scores.size());
    const double top = *std::max_element(scores.begin(), scores.end());
    double total = 0;
    for (const double s : scores) total += std::exp((s - top) / tau);
    const auto share = [&](std::size_t i) { return std::exp((scores[i] - top) / tau) / total; };
    const auto slope = [&](std::size_t i) {
      const double w = share(i);
      const bool limited = w >= largest || p[i] <= least_rate || p[i] >= 1 - rate_gap;
      return limited ? 0 : dp[i] * draws * (1 - p[i]) / (1 - w) * w;
    };
    double along = 0;
    for (std::size_t i = 0; i < scores.size(); ++i) along += slope(i);
    for (std::size_t i = 0; i < scores.size(); ++i) ds[i] += (slope(i) - share(i) * along) / tau;
  }

  void validate() const {
    for (const auto& [value, name] : {std::pair{tau, "tau"}, {pace, "pace"}})
      if (!(value > 0 && std::isfinite(value)))
        throw invalid_argument(std::string("likelihood::softmax_share: ") + name + " = " + std::to_string(value) +
                               ", expected a number more than 0");
  }

 private:
  static constexpr double largest = 1 - 1e-9;  // of a share

  void shares(std::span<const double> scores, std::span<double> w) const {
    const double top = *std::max_element(scores.begin(), scores.end());
    double total = 0;
    for (std::size_t i = 0; i < scores.size(); ++i) total += w[i] = std::exp((scores[i] - top) / tau);
    for (double& one : w) one /= total;
  }
};

}  // namespace lacuna::likelihood
