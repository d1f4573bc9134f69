/// @file
/// @brief The size of a shape found in a file, with overflow in mind.
#pragma once

#include <cstddef>
#include <limits>
#include <span>

namespace lacuna::io::detail {

/// Product, or false on overflow. A zero does not excuse the other factors: no extent of an accepted shape is absurd.
inline bool checked_product(std::span<const std::size_t> factors, std::size_t& product) {
  product = 1;
  bool empty = false;
  for (const std::size_t factor : factors) {
    if (factor == 0) {
      empty = true;
    } else if (product > std::numeric_limits<std::size_t>::max() / factor) {
      return false;
    } else {
      product *= factor;
    }
  }
  if (empty) product = 0;
  return true;
}

}  // namespace lacuna::io::detail
