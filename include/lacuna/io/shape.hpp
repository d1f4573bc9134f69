/// @file
/// @brief Shapes found in files: as text for messages, and their size with overflow in mind.
#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <string>

namespace lacuna::io::detail {

/// "[2, 3]".
inline std::string shape_text(std::span<const std::size_t> shape) {
  std::string text = "[";
  for (std::size_t i = 0; i < shape.size(); ++i) text += (i == 0 ? "" : ", ") + std::to_string(shape[i]);
  return text + "]";
}

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
