/// @file
/// @brief A shape as text, for messages: "[2, 3]".
#pragma once

#include <cstddef>
#include <string>

namespace lacuna {

/// Of anything with `size()` and whole numbers at `[i]`: a tensor's shape, a vector, a span.
template <class Shape>
std::string shape_text(const Shape& shape) {
  std::string text = "[";
  for (std::size_t i = 0; i < shape.size(); ++i) text += (i == 0 ? "" : ", ") + std::to_string(shape[i]);
  return text + "]";
}

}  // namespace lacuna
