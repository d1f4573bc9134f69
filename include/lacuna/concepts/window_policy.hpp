/// @file
/// @brief window_policy: how many positions a draft covers before the next one is made.
///
/// ```cpp
/// const auto window = [](std::size_t revealed, std::size_t total) { return 1 + revealed * 8 / total; };
/// ```
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>

namespace lacuna {

/// w(i, N) -> std::size_t: of N positions to decode i < N are revealed; how many to draft for verification now. A lambda will
/// do.
template <class W>
concept window_policy = std::copy_constructible<W> && requires(const W& w, std::size_t revealed, std::size_t total) {
  { w(revealed, total) } -> std::convertible_to<std::size_t>;
};

/// The window of W, at least one position and no more than are left. Needs revealed < total.
template <window_policy W>
std::size_t window_size(const W& w, std::size_t revealed, std::size_t total) {
  return std::clamp<std::size_t>(static_cast<std::size_t>(w(revealed, total)), 1, total - revealed);
}

}  // namespace lacuna
