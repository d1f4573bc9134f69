/// @file
/// @brief average_ranks: the place of each number in ascending order, ties sharing the mean of their places.
///
/// From 1, as rank statistics have it: {5, 2, 2} -> {3, 1.5, 1.5}. O(n log n). Errors: NaN is refused, it has no place.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "lacuna/core/errors.hpp"

namespace lacuna {

inline std::vector<double> average_ranks(std::span<const double> x) {
  for (std::size_t k = 0; k < x.size(); ++k)
    if (std::isnan(x[k])) throw invalid_argument("average_ranks: number " + std::to_string(k) + " is nan, expected a number");
  std::vector<std::size_t> order(x.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return x[a] < x[b]; });
  std::vector<double> ranks(x.size());
  for (std::size_t from = 0, to = 0; from < x.size(); from = to) {
    while (to < x.size() && x[order[to]] == x[order[from]]) ++to;
    const double shared = (static_cast<double>(from + 1) + static_cast<double>(to)) / 2;
    for (std::size_t k = from; k < to; ++k) ranks[order[k]] = shared;
  }
  return ranks;
}

}  // namespace lacuna
