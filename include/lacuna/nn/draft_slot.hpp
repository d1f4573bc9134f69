/// @file
/// @brief What a row's draft leaves behind for its verification: hidden states, and the keys and values of verified tracks.
///
/// Keys and values of a track depend on the draft, the order up to the track and the tokens before it. As long as those stay
/// the same, later verifications of the draft need not compute them again.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "lacuna/core/token.hpp"

namespace lacuna::nn {

/// Shapes: L tracks and positions, D wide, C causal blocks.
struct draft_slot {
  std::size_t length = 0;          ///< L of the last draft, 0 before the first
  std::vector<float> last;         ///< [L, D] by position: what the trunk's last block returned
  std::vector<float> seen;         ///< [L, D] by position: the same after the last norm
  std::size_t verified = 0;        ///< tracks whose keys and values are at hand
  std::vector<std::size_t> order;  ///< [verified] their positions
  std::vector<token> carried;      ///< [verified] the tokens they carry; that of track 0 means nothing
  std::vector<float> keys_values;  ///< [C, L, 2D] by track

  /// Makes room for a draft; what was verified before is forgotten.
  void begin(std::size_t row_length, std::size_t width, std::size_t causal_blocks) {
    length = 0;
    verified = 0;
    last.resize(row_length * width);
    seen.resize(row_length * width);
    keys_values.resize(causal_blocks * row_length * 2 * width);
    order.resize(row_length);
    carried.resize(row_length);
  }

  /// How many of the first `count` tracks have their keys and values at hand for this order and these tokens (by position).
  [[nodiscard]] std::size_t known(std::span<const std::size_t> now, std::span<const token> tokens, std::size_t count) const {
    std::size_t t = 0;
    while (t < std::min(count, verified) && order[t] == now[t] && (t == 0 || carried[t] == tokens[now[t - 1]])) ++t;
    return t;
  }

  /// Remembers that those of the first `count` tracks are at hand now, of which `before` were.
  void remember(std::span<const std::size_t> now, std::span<const token> tokens, std::size_t before, std::size_t count) {
    if (before == count) return;  // tracks behind may still be good
    for (std::size_t t = before; t < count; ++t) {
      order[t] = now[t];
      carried[t] = t == 0 ? token{} : tokens[now[t - 1]];
    }
    verified = count;
  }
};

}  // namespace lacuna::nn
