/// @file
/// @brief What the verify pass of a draft_verify_model is called with: orders, tokens, and the tracks whose target is wanted.
#pragma once

#include <cstddef>
#include <span>

#include "lacuna/core/token.hpp"

namespace lacuna {

/// B rows of L tracks, read only and not owned. Track d of row b stands for position `order(b)[d]`; its target is the model's
/// distribution of that position given the hidden states of the row's last draft pass and the tokens at `order(b)[0 .. d)`.
/// Wanted are the tracks [first[b], last[b]).
struct verify_batch {
  std::span<const std::size_t> slots;   ///< [B], that of the draft pass each row goes on from; all different
  std::span<const std::size_t> orders;  ///< [B, L], each row a permutation of 0 .. L - 1: what is known first
  std::span<const token> tokens;        ///< [B, L] by position; those at tracks last[b] - 1 and later are not looked at
  std::span<const std::size_t> first;   ///< [B]
  std::span<const std::size_t> last;    ///< [B], greater than first[b], at most L

  /// B.
  [[nodiscard]] std::size_t rows() const { return slots.size(); }
  /// L.
  [[nodiscard]] std::size_t length() const { return slots.empty() ? 0 : orders.size() / slots.size(); }
  [[nodiscard]] std::span<const std::size_t> order(std::size_t b) const { return orders.subspan(b * length(), length()); }
  [[nodiscard]] std::span<const token> row(std::size_t b) const { return tokens.subspan(b * length(), length()); }
};

}  // namespace lacuna
