/// @file
/// @brief A block whose tracks see the tracks up to their own, forward and backward, for the tracks of each row that are
/// wanted.
///
/// Shapes: x and all that goes before the attention [N, D], N tracks of rows packed one after the other; y and all that follows
/// it [W, D], the wanted tracks of each row, which are its last ones. Tracks that are not wanted give keys and values only:
/// half of a last block's work where half of the tracks are. A track's numbers do not depend on later tracks.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "lacuna/nn/attention.hpp"
#include "lacuna/nn/block.hpp"
#include "lacuna/nn/config.hpp"

namespace lacuna::nn {

/// Row b is the tracks [offsets[b], offsets[b + 1]); wanted[b + 1] - wanted[b] of them, the last, are wanted.
struct track_rows {
  std::span<const std::size_t> offsets;  ///< [B + 1], from 0
  std::span<const std::size_t> wanted;   ///< [B + 1], from 0

  /// f(b, first track of row b, its length, its first wanted track counted from there).
  template <class F>
  void for_each(const F& f) const {
    for (std::size_t b = 0; b + 1 < offsets.size(); ++b) {
      const std::size_t length = offsets[b + 1] - offsets[b];
      f(b, offsets[b], length, length - (wanted[b + 1] - wanted[b]));
    }
  }
};

/// Queries taken at a time: what lies above the diagonal is skipped in steps of this many.
inline constexpr std::size_t causal_tile = 48;

/// y from record.x, with a record for the backward pass.
inline void causal_block_forward(const transformer_config& c, const block_tensors<const float>& w, const track_rows& rows,
                                 const rotation& rotary, const block_record& r, float* y) {
  const std::size_t d = c.width;
  block_before_attention(c, w, rows.offsets.back(), r.x, r.h1, r.qkv, r.statistics1);
  rows.for_each([&](std::size_t b, std::size_t row, std::size_t length, std::size_t first) {
    if (rotary.table != nullptr)
      for (std::size_t t = 0; t < length; ++t) rotary.turn(c, row + t, t, r.qkv + (row + t) * 3 * d);
    const std::size_t stride = simd::padded(length);
    attention_inputs in = split_qkv(r.qkv + row * 3 * d, d);
    in.queries.data += first * 3 * d;
    for (std::size_t q = first; q < length; q += causal_tile, in.queries.data += causal_tile * 3 * d)
      attend<key_range::up_to_own>({c.heads, c.head_width()}, length, q, std::min(causal_tile, length - q), in, {},
                                   r.probabilities + r.places[b] + (q - first) * stride, length * stride,
                                   {r.attended + (rows.wanted[b] + q - first) * d, d});
  });
  rows.for_each([&](std::size_t b, std::size_t row, std::size_t length, std::size_t first) {
    std::copy(r.x + (row + first) * d, r.x + (row + length) * d, r.middle + rows.wanted[b] * d);
  });
  block_after_attention(c, w, rows.wanted.back(), r.middle, r.attended, r.middle, r.h2, r.u, r.g, y, r.statistics2);
}

/// dx [N, D] (overwritten) from dy [W, D], which is lost; gradients accumulate.
inline void causal_block_backward(const transformer_config& c, const block_tensors<const float>& w,
                                  const block_transposes& transposed, const track_rows& rows, const rotation& rotary,
                                  const block_record& r, const block_scratch& scratch, float* dy, float* dx,
                                  const block_tensors<float>& gradient) {
  const std::size_t d = c.width;
  block_backward_after_attention(c, w, transposed, rows.wanted.back(), r, scratch.inner,
                                 is_gated(c.activation) ? scratch.du : scratch.inner, scratch.narrow, dy, gradient);
  rows.for_each([&](std::size_t b, std::size_t row, std::size_t length, std::size_t first) {
    std::fill_n(dx + row * d, first * d, 0.0F);
    std::copy_n(dy + rows.wanted[b] * d, (length - first) * d, dx + (row + first) * d);
    float* dqkv = scratch.dqkv + row * 3 * d;
    for (std::size_t t = 0; t < first; ++t) std::fill_n(dqkv + t * 3 * d, d, 0.0F);
    attention_inputs in = split_qkv(r.qkv + row * 3 * d, d);
    in.queries.data += first * 3 * d;
    for (std::size_t h = 0; h < c.heads; ++h)
      attention_backward({c.heads, c.head_width()}, h, length - first, length, in, r.probabilities + r.places[b],
                         {scratch.narrow + rows.wanted[b] * d, d}, {dqkv + first * 3 * d, 3 * d}, {dqkv + d, 3 * d},
                         {dqkv + 2 * d, 3 * d}, {}, scratch.attention);
    if (rotary.table != nullptr)
      for (std::size_t t = 0; t < length; ++t) rotary.turn_back(c, row + t, t, dqkv + t * 3 * d);
  });
  block_backward_before_attention(c, w, transposed, rows.offsets.back(), r, scratch.dqkv, scratch.narrow, dx, gradient);
}

}  // namespace lacuna::nn
