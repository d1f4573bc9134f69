/// @file
/// @brief How well estimates agree with the truth: R², the mean absolute error, Spearman's rank correlation.
///
/// R² asks for the numbers themselves, against the mean of the truth (negative: worse than that mean); the rank correlation for
/// their order alone, ties sharing their mean rank. Where there is nothing to explain (fewer than two numbers, or all the same)
/// both are NaN: a batch of such contexts is no reason to stop a training run. Errors, as invalid_argument: different numbers
/// of estimates and truths, NaN among them.
/// ```cpp
/// const lacuna::mi::agreement a = lacuna::mi::agreement_of(estimates, truth);   // a.r_squared, a.mean_absolute_error, …
/// ```
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "lacuna/core/average_ranks.hpp"
#include "lacuna/core/errors.hpp"

namespace lacuna::mi {

namespace detail {

inline void check_numbers(std::span<const double> estimates, std::span<const double> truth) {
  if (estimates.size() != truth.size())
    throw invalid_argument("mi::agreement: " + std::to_string(estimates.size()) + " estimates of " +
                           std::to_string(truth.size()) + " numbers, expected as many");
  for (std::size_t k = 0; k < truth.size(); ++k)
    if (std::isnan(estimates[k]) || std::isnan(truth[k]))
      throw invalid_argument("mi::agreement: number " + std::to_string(k) + " is nan, expected a number");
}

inline double mean_of(std::span<const double> x) {
  double sum = 0;
  for (const double v : x) sum += v;
  return sum / static_cast<double>(x.size());
}

inline constexpr double nothing = std::numeric_limits<double>::quiet_NaN();

}  // namespace detail

/// 1 − Σ (estimate − truth)² / Σ (truth − mean truth)².
inline double r_squared(std::span<const double> estimates, std::span<const double> truth) {
  detail::check_numbers(estimates, truth);
  if (truth.empty() || *std::min_element(truth.begin(), truth.end()) == *std::max_element(truth.begin(), truth.end()))
    return detail::nothing;  // their variance is 0, whatever rounding makes of it
  const double mean = detail::mean_of(truth);
  double left = 0;
  double all = 0;
  for (std::size_t k = 0; k < truth.size(); ++k) {
    left += (estimates[k] - truth[k]) * (estimates[k] - truth[k]);
    all += (truth[k] - mean) * (truth[k] - mean);
  }
  return all > 0 ? 1 - left / all : detail::nothing;
}

/// In the unit of the numbers; NaN of none.
inline double mean_absolute_error(std::span<const double> estimates, std::span<const double> truth) {
  detail::check_numbers(estimates, truth);
  double sum = 0;
  for (std::size_t k = 0; k < truth.size(); ++k) sum += std::abs(estimates[k] - truth[k]);
  return sum / static_cast<double>(truth.size());
}

/// Spearman's: the correlation of the average ranks.
inline double rank_correlation(std::span<const double> estimates, std::span<const double> truth) {
  detail::check_numbers(estimates, truth);
  const std::vector<double> a = average_ranks(estimates);
  const std::vector<double> b = average_ranks(truth);
  const double middle = (static_cast<double>(truth.size()) + 1) / 2;
  double ab = 0;
  double aa = 0;
  double bb = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    ab += (a[k] - middle) * (b[k] - middle);
    aa += (a[k] - middle) * (a[k] - middle);
    bb += (b[k] - middle) * (b[k] - middle);
  }
  return aa > 0 && bb > 0 ? ab / std::sqrt(aa * bb) : detail::nothing;
}

struct agreement {
  std::size_t count = 0;
  double r_squared = 0;
  double mean_absolute_error = 0;
  double rank_correlation = 0;
};

/// All of them.
inline agreement agreement_of(std::span<const double> estimates, std::span<const double> truth) {
  return {truth.size(), r_squared(estimates, truth), mean_absolute_error(estimates, truth), rank_correlation(estimates, truth)};
}

}  // namespace lacuna::mi
