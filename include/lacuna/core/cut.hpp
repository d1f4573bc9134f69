/// @file
/// @brief The k-th largest value, or the value down to which a given mass lies, without sorting, scratch or allocation.
#pragma once

#include <algorithm>
#include <cstddef>

#include "lacuna/core/row.hpp"

namespace lacuna {

/// The largest of the values v(0), …, v(n - 1) such that the weights of all values at or above it add up to `wanted` or more:
/// with weight 1 the wanted-th largest value, with probabilities as weights the edge of a nucleus. Values of −infinity count
/// for nothing; if all others together weigh less than `wanted` the smallest of them is returned, −infinity if there are none.
/// +infinity and NaN are not allowed. Bisection of the interval of the values: O(n) a round, usually about 20 rounds, never
/// many more than the 64 bits in which two numbers can differ.
template <class Value, class Weight>
double cut(std::size_t n, double wanted, Value value, Weight weight) {
  double low = infinity;
  double high = -infinity;
  for (std::size_t i = 0; i < n; ++i) {
    const double x = value(i);
    if (x == -infinity) continue;
    low = std::min(low, x);
    high = std::max(high, x);
  }
  if (low > high) return -infinity;
  double above = 0;  // weight of the values at or above `high`: not enough; those at or above `low` are taken to be enough
  for (std::size_t i = 0; i < n; ++i)
    if (value(i) == high) above += weight(i);
  if (above >= wanted) return high;
  for (;;) {
    const double middle = low + (high - low) / 2;
    if (!(middle > low)) return low;  // no number between them
    double sum = above;
    double next_up = high;
    double next_down = low;
    for (std::size_t i = 0; i < n; ++i) {
      const double x = value(i);
      if (x >= high || x < low) continue;
      if (x >= middle) {
        sum += weight(i);
        next_up = std::min(next_up, x);
      } else {
        next_down = std::max(next_down, x);
      }
    }
    if (sum >= wanted) {
      low = next_up;
    } else {
      if (next_down == low) return low;
      above = sum;
      high = middle;
    }
  }
}

}  // namespace lacuna
