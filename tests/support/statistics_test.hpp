/// @file
/// @brief Tolerances derived from sample sizes, for tests with random numbers and fixed seeds.
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

namespace lacuna::testing {

/// Pearson's statistic of counts against probabilities. Cells without probability must be empty: a count there is infinitely
/// bad.
inline double chi_square(const std::vector<std::size_t>& counts, const std::vector<double>& p) {
  double total = 0;
  for (const std::size_t c : counts) total += static_cast<double>(c);
  double x = 0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    const double expected = total * p[i];
    const double off = static_cast<double>(counts[i]) - expected;
    if (expected > 0)
      x += off * off / expected;
    else if (counts[i] > 0)
      x += HUGE_VAL;
  }
  return x;
}

/// The value a chi-square statistic with `freedom` degrees exceeds with probability about 3e-5 (4 standard deviations of the
/// normal in the Wilson-Hilferty approximation).
inline double chi_square_limit(std::size_t freedom) {
  const double f = static_cast<double>(freedom);
  const double c = 2 / (9 * f);
  return f * std::pow(1 - c + 4 * std::sqrt(c), 3);
}

/// Four standard errors of the mean of n draws with the given variance.
inline double four_sigma(double variance, std::size_t n) { return 4 * std::sqrt(variance / static_cast<double>(n)); }

}  // namespace lacuna::testing
