/// @file
/// @brief The windows of a sequence of which everything drafted is accepted.
#pragma once

#include <cstddef>
#include <vector>

#include "lacuna/concepts/window_policy.hpp"

namespace lacuna::tests {

template <window_policy W>
std::vector<std::size_t> sizes(const W& window, std::size_t total) {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < total; i += out.back()) out.push_back(window_size(window, i, total));
  return out;
}

}  // namespace lacuna::tests
