/// @file
/// @brief From a row of logits to a row of log-probabilities and its statistics, in double.
///
/// All functions are O(V). Tokens that may never be generated are removed before the softmax, so that they count nowhere.
/// NaN logits are treated as "impossible"; a row that has no possible token left is unusable and says so. Logits of any
/// magnitude are fine; if some logits are +infinity these share all the mass.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>

#include "lacuna/core/statistics.hpp"
#include "lacuna/core/token.hpp"

namespace lacuna {

inline constexpr double infinity = std::numeric_limits<double>::infinity();

/// Makes `log_p` sum to one in place. Returns false, and leaves an unusable row, if nothing has mass. NaN counts as −infinity.
inline bool normalize_row(std::span<double> log_p) {
  double largest = -infinity;
  for (double& v : log_p) {
    if (std::isnan(v)) v = -infinity;
    largest = std::max(largest, v);
  }
  if (largest == -infinity) return false;
  if (largest == infinity) {  // the infinite ones share the mass
    for (double& v : log_p) v = v == infinity ? 0 : -infinity;
    largest = 0;
  }
  // Not v - log Σ exp at once: beside a large logit the logarithm of the sum would be rounded away.
  double sum = 0;
  for (double& v : log_p) {
    v -= largest;
    sum += std::exp(v);
  }
  const double log_sum = std::log(sum);
  for (double& v : log_p) v -= log_sum;
  return true;
}

/// Writes the log-probabilities [V] of one row of logits [V]; `forbidden` tokens get −infinity before the softmax. Returns
/// whether the row is usable. Throws nothing; forbidden ids must be inside the row.
inline bool log_softmax(std::span<const float> logits, std::span<const token> forbidden, std::span<double> log_p) {
  std::copy(logits.begin(), logits.end(), log_p.begin());
  for (const token t : forbidden) log_p[static_cast<std::size_t>(t)] = -infinity;
  return normalize_row(log_p);
}

/// Entropy in nats of a row of log-probabilities.
inline double entropy(std::span<const double> log_p) {
  double h = 0;
  for (const double v : log_p)
    if (v > -infinity) h -= v * std::exp(v);
  return std::max(h, 0.0);
}

/// KL(p ‖ q) in nats between rows of log-probabilities; +infinity where q lacks mass that p has.
inline double kl_divergence(std::span<const double> log_p, std::span<const double> log_q) {
  double d = 0;
  for (std::size_t v = 0; v < log_p.size(); ++v)
    if (log_p[v] > -infinity) d += std::exp(log_p[v]) * (log_p[v] - log_q[v]);
  return std::max(d, 0.0);
}

/// The scalar statistics of one row. Those not asked for are NaN.
struct row_statistics {
  double confidence = std::numeric_limits<double>::quiet_NaN();
  double margin = std::numeric_limits<double>::quiet_NaN();
  double entropy = std::numeric_limits<double>::quiet_NaN();
};

/// Computes exactly the statistics named in `Needs` from a row of log-probabilities.
template <statistics Needs>
row_statistics statistics_of(std::span<const double> log_p) {
  row_statistics s;
  if constexpr (contains(Needs, statistics::confidence) || contains(Needs, statistics::margin)) {
    double first = -infinity;
    double second = -infinity;
    for (const double v : log_p) {
      second = std::max(second, std::min(v, first));
      first = std::max(first, v);
    }
    s.confidence = std::exp(first);
    s.margin = std::exp(first) - std::exp(second);
  }
  if constexpr (contains(Needs, statistics::entropy)) s.entropy = lacuna::entropy(log_p);
  return s;
}

/// Lowest index of the largest value.
inline token argmax(std::span<const double> log_p) {
  return static_cast<token>(std::max_element(log_p.begin(), log_p.end()) - log_p.begin());
}

}  // namespace lacuna
