/// @file
/// @brief Where the blocks of a canvas lie, for orders that go block by block.
#pragma once

#include <algorithm>
#include <cstddef>

#include "lacuna/core/canvas.hpp"

namespace lacuna {

/// Positions first <= i < last.
struct block_range {
  std::size_t first = 0;
  std::size_t last = 0;

  [[nodiscard]] std::size_t size() const { return last - first; }
  [[nodiscard]] bool contains(std::size_t i) const { return i >= first && i < last; }
  friend bool operator==(const block_range&, const block_range&) = default;
};

/// Masked positions of a range; O(range).
inline std::size_t masked_in(const canvas& c, const block_range& range) {
  std::size_t masked = 0;
  for (std::size_t i = range.first; i < range.last; ++i) masked += c.is_masked(i) ? 1 : 0;
  return masked;
}

/// The first block with a masked position, empty if none is masked. Blocks of `size` positions are laid out from the first
/// position that is not fixed, so that those of a continuation begin behind its prompt; the last may be short. O(L).
inline block_range first_masked_block(const canvas& c, std::size_t size) {
  const auto cells = c.cells();
  const auto origin = std::find_if(cells.begin(), cells.end(), [](cell x) { return x != cell::fixed; }) - cells.begin();
  const auto mask = std::find(cells.begin(), cells.end(), cell::masked) - cells.begin();
  const auto start = static_cast<std::size_t>(origin);
  const auto at = static_cast<std::size_t>(mask);
  if (at == c.size()) return {};
  const std::size_t first = start + (at - start) / size * size;
  return {first, size < c.size() - first ? first + size : c.size()};
}

}  // namespace lacuna
