/// @file
/// @brief Sums and differences of numbers that are known by their logarithms.
#pragma once

#include <cmath>
#include <utility>

#include "lacuna/core/row.hpp"

namespace lacuna {

/// log(e^a + e^b); −infinity stands for 0.
inline double log_add(double a, double b) {
  if (a < b) std::swap(a, b);
  return b == -infinity ? a : a + std::log1p(std::exp(b - a));
}

/// log max(0, e^a − e^b).
inline double log_excess(double a, double b) {
  if (!(a > b)) return -infinity;
  return b == -infinity ? a : a + std::log(-std::expm1(b - a));
}

}  // namespace lacuna
