/// @file
/// @brief One pre-norm transformer block, forward and backward: x + attention(norm(x)), then + feed_forward(norm(.)).
///
/// Shapes: x, y and everything a token wide [N, D], N tokens of rows packed one after the other; qkv [N, 3D]; u [N, U], g [N,
/// F]. The two halves before and after the attention treat every token by itself, so a caller may split them between threads
/// where it likes. Cost per token 2 (4 D^2 + D U + F D) + 4 L D operations forward, twice that backward.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "lacuna/nn/attention.hpp"
#include "lacuna/nn/config.hpp"
#include "lacuna/nn/feed_forward.hpp"
#include "lacuna/nn/layout.hpp"
#include "lacuna/nn/linear.hpp"
#include "lacuna/nn/norm.hpp"
#include "lacuna/nn/rotary.hpp"
#include "lacuna/nn/threads.hpp"

namespace lacuna::nn {

/// A block's parameters (Float = const float) or their gradients (Float = float) as pointers.
template <class Float>
struct block_tensors {
  Float *norm1_weight, *norm1_bias, *qkv_weight, *qkv_bias, *out_weight, *out_bias;
  Float *norm2_weight, *norm2_bias, *up_weight, *up_bias, *down_weight, *down_bias;

  block_tensors(const block_layout& l, Float* base)
      : norm1_weight{base + l.norm1_weight.offset},
        norm1_bias{l.norm1_bias.size == 0 ? nullptr : base + l.norm1_bias.offset},
        qkv_weight{base + l.qkv_weight.offset},
        qkv_bias{base + l.qkv_bias.offset},
        out_weight{base + l.out_weight.offset},
        out_bias{base + l.out_bias.offset},
        norm2_weight{base + l.norm2_weight.offset},
        norm2_bias{l.norm2_bias.size == 0 ? nullptr : base + l.norm2_bias.offset},
        up_weight{base + l.up_weight.offset},
        up_bias{base + l.up_bias.offset},
        down_weight{base + l.down_weight.offset},
        down_bias{base + l.down_bias.offset} {}
};

/// The transposes of a block's matrices, for the backward pass: made once a step, used for every group of rows.
struct block_transposes {
  float *qkv, *out, *up, *down;  ///< [3D, D], [D, D], [U, D], [D, F]
};
inline void transpose_block(const transformer_config& c, const block_tensors<const float>& w, const block_transposes& t) {
  transpose(c.width, 3 * c.width, w.qkv_weight, t.qkv);
  transpose(c.width, c.width, w.out_weight, t.out);
  transpose(c.width, c.up_width(), w.up_weight, t.up);
  transpose(c.feed_forward, c.width, w.down_weight, t.down);
}

/// What the backward pass needs of the forward pass.
struct block_record {
  float *x, *h1, *qkv, *attended, *middle, *h2, *g;  ///< per token
  float* u;                                          ///< the slopes of the activation
  float *statistics1, *statistics2;                  ///< [N, 2]
  float* probabilities;                              ///< [H, L, P] for each row
  const std::size_t* places;                         ///< where in `probabilities` each row's begin

  /// The record without its first tokens.
  [[nodiscard]] block_record from(const transformer_config& c, std::size_t t) const {
    const std::size_t d = c.width;
    return {x + t * d,           h1 + t * d,          qkv + t * 3 * d,        attended + t * d,
            middle + t * d,      h2 + t * d,          g + t * c.feed_forward, u + t * c.up_width(),
            statistics1 + 2 * t, statistics2 + 2 * t, probabilities,          places};
  }
};

/// norm -> queries, keys, values. `h` is scratch [tokens, D] (kept for training), `statistics` may be null.
inline void block_before_attention(const transformer_config& c, const block_tensors<const float>& w, std::size_t tokens,
                                   const float* x, float* h, float* qkv, float* statistics) {
  norm_forward(tokens, c.width, x, w.norm1_weight, w.norm1_bias, c.norm_epsilon, h, statistics);
  linear_forward(tokens, c.width, 3 * c.width, h, w.qkv_weight, w.qkv_bias, qkv);
}

/// middle = x + attended W + b; y = middle + feed_forward(norm(middle)). y, middle and x may be the same. Without statistics
/// no backward pass follows, and g may be u for an activation that is not gated; with them u is left as the slopes of the
/// activation.
inline void block_after_attention(const transformer_config& c, const block_tensors<const float>& w, std::size_t tokens,
                                  const float* x, const float* attended, float* middle, float* h, float* u, float* g, float* y,
                                  float* statistics) {
  linear_forward_onto(tokens, c.width, c.width, attended, w.out_weight, w.out_bias, x, middle);
  norm_forward(tokens, c.width, middle, w.norm2_weight, w.norm2_bias, c.norm_epsilon, h, statistics);
  linear_forward(tokens, c.width, c.up_width(), h, w.up_weight, w.up_bias, u);
  if (statistics == nullptr)
    activation_forward(c.activation, tokens, c.feed_forward, u, g);
  else
    activation_forward_with_slopes(c.activation, tokens, c.feed_forward, u, g);
  linear_forward_onto(tokens, c.feed_forward, c.width, g, w.down_weight, w.down_bias, middle, y);
}

/// Queries, keys and values of a row side by side.
inline attention_inputs split_qkv(const float* qkv, std::size_t width) {
  return {{qkv, 3 * width}, {qkv + width, 3 * width}, {qkv + 2 * width, 3 * width}};
}

/// How queries and keys are turned: not at all, each by where its token stands in its row, or by positions of their own [N],
/// one of the query and one of the key.
struct rotation {
  const rotary_table* table = nullptr;
  const std::size_t* of_queries = nullptr;  ///< null: where a token stands
  const std::size_t* of_keys = nullptr;

  rotation() = default;
  rotation(const rotary_table* t) : table{t} {}  // NOLINT(google-explicit-constructor): the usual case
  rotation(const rotary_table& t, const std::size_t* queries, const std::size_t* keys)
      : table{&t}, of_queries{queries}, of_keys{keys} {}

  /// Turns the query and the key of token n, which stands at `position` of its row.
  void turn(const transformer_config& c, std::size_t n, std::size_t position, float* qkv) const {
    table->turn(of_queries == nullptr ? position : of_queries[n], c.heads, qkv);
    table->turn(of_keys == nullptr ? position : of_keys[n], c.heads, qkv + c.width);
  }
  /// The gradient of that.
  void turn_back(const transformer_config& c, std::size_t n, std::size_t position, float* qkv) const {
    table->turn_back(of_queries == nullptr ? position : of_queries[n], c.heads, qkv);
    table->turn_back(of_keys == nullptr ? position : of_keys[n], c.heads, qkv + c.width);
  }
};

/// Turns the queries and keys of `tokens` tokens that stand at `position`, `position` + 1, ... of a row.
inline void turn_queries_and_keys(const transformer_config& c, const rotary_table& table, std::size_t tokens,
                                  std::size_t position, float* qkv) {
  const rotation turning{&table};
  for (std::size_t n = 0; n < tokens; ++n, qkv += 3 * c.width) turning.turn(c, n, position + n, qkv);
}

/// For code that one thread runs alone.
struct no_meeting {
  void operator()() const {}
};

/// f(b, first token of row b, its length, first and last position of it that are mine) for every row of which I have a share.
/// Tokens count from the first row's.
template <class F>
void for_shared_rows(std::span<const std::size_t> offsets, const share& mine, const F& f) {
  const std::size_t start = offsets.front();
  const std::size_t begin = mine.begin(offsets.back() - start);
  const std::size_t end = mine.end(offsets.back() - start);
  for (std::size_t b = 0; b + 1 < offsets.size(); ++b) {
    const std::size_t row = offsets[b] - start;
    const std::size_t next = offsets[b + 1] - start;
    if (next > begin && row < end) f(b, row, next - row, std::max(begin, row) - row, std::min(end, next) - row);
  }
}

/// My share of the forward pass with a record, over whole rows; `offsets` are the B + 1 row boundaries from 0. All threads
/// `meet()` once.
template <key_range Keys = key_range::all, class Meet = no_meeting>
void block_forward(const transformer_config& c, const block_tensors<const float>& w, std::span<const std::size_t> offsets,
                   attention_scores<const float> scores, const rotation& rotary, const block_record& record, float* y,
                   const share& mine = {}, const Meet& meet = {}) {
  const std::size_t d = c.width;
  const std::size_t begin = mine.begin(offsets.back());
  const std::size_t tokens = mine.end(offsets.back()) - begin;
  const block_record r = record.from(c, begin);
  block_before_attention(c, w, tokens, r.x, r.h1, r.qkv, r.statistics1);
  if (rotary.table != nullptr)
    for_shared_rows(offsets, mine, [&](std::size_t, std::size_t row, std::size_t, std::size_t from, std::size_t to) {
      for (std::size_t l = from; l < to; ++l) rotary.turn(c, row + l, l, record.qkv + (row + l) * 3 * d);
    });
  meet();
  for_shared_rows(offsets, mine, [&](std::size_t b, std::size_t row, std::size_t length, std::size_t from, std::size_t to) {
    const std::size_t stride = simd::padded(length);
    attention_forward<Keys>({c.heads, c.head_width()}, length, from, to, split_qkv(record.qkv + row * 3 * d, d), scores,
                            record.probabilities + record.places[b] + from * stride, length * stride,
                            {record.attended + row * d, d});
  });
  block_after_attention(c, w, tokens, r.x, r.attended, r.middle, r.h2, r.u, r.g, y + begin * d, r.statistics2);
}

/// Scratch of the backward pass.
struct block_scratch {
  float* dqkv;                 ///< [N, 3D]
  float* du;                   ///< [N, U], not for GELU
  float* inner;                ///< [N, F]
  float* narrow;               ///< [N, D]
  float* attention;            ///< [threads, attention_size]
  std::size_t attention_size;  ///< L P for the longest row
};

/// f(b, h) for the heads of rows that are mine: shares hold about the same sum of squared lengths.
template <class F>
void for_shared_heads(std::span<const std::size_t> offsets, std::size_t heads, const share& mine, const F& f) {
  const auto cost = [&](std::size_t b) { return (offsets[b + 1] - offsets[b]) * (offsets[b + 1] - offsets[b]); };
  std::size_t total = 0;
  for (std::size_t b = 0; b + 1 < offsets.size(); ++b) total += heads * cost(b);
  std::size_t before = 0;
  for (std::size_t b = 0; b + 1 < offsets.size(); ++b)
    for (std::size_t h = 0; h < heads; ++h, before += cost(b))
      if (before >= mine.begin(total) && before < mine.end(total)) f(b, h);
}

/// Backward through what follows the attention. dx in place: on entry the gradient of y, on return that of x by the residual;
/// the gradient of `attended` goes to `narrow`. `inner` [tokens, F] and `du` [tokens, U] are scratch, and the same for an
/// activation that is not gated.
inline void block_backward_after_attention(const transformer_config& c, const block_tensors<const float>& w,
                                           const block_transposes& transposed, std::size_t tokens, const block_record& r,
                                           float* inner, float* du, float* narrow, float* dx,
                                           const block_tensors<float>& gradient) {
  const std::size_t d = c.width;
  linear_backward_weight(tokens, c.feed_forward, d, r.g, dx, gradient.down_weight, gradient.down_bias);
  linear_backward_input(tokens, c.feed_forward, d, dx, transposed.down, inner);
  activation_backward(c.activation, tokens, c.feed_forward, r.u, inner, du);
  linear_backward_weight(tokens, d, c.up_width(), r.h2, du, gradient.up_weight, gradient.up_bias);
  linear_backward_input(tokens, d, c.up_width(), du, transposed.up, narrow);
  norm_backward(tokens, d, r.middle, r.statistics2, w.norm2_weight, narrow, dx, gradient.norm2_weight, gradient.norm2_bias);
  linear_backward_weight(tokens, d, d, r.attended, dx, gradient.out_weight, gradient.out_bias);
  linear_backward_input(tokens, d, d, dx, transposed.out, narrow);
}

/// Backward through what goes before the attention: adds to dx. `narrow` [tokens, D] is scratch.
inline void block_backward_before_attention(const transformer_config& c, const block_tensors<const float>& w,
                                            const block_transposes& transposed, std::size_t tokens, const block_record& r,
                                            const float* dqkv, float* narrow, float* dx, const block_tensors<float>& gradient) {
  const std::size_t d = c.width;
  linear_backward_weight(tokens, d, 3 * d, r.h1, dqkv, gradient.qkv_weight, gradient.qkv_bias);
  linear_backward_input(tokens, d, 3 * d, dqkv, transposed.qkv, narrow);
  norm_backward(tokens, d, r.x, r.statistics1, w.norm1_weight, narrow, dx, gradient.norm1_weight, gradient.norm1_bias);
}

/// My share of the backward pass, whatever keys the queries saw. dx in place: on entry the gradient of y, on return that of x;
/// gradients and dscores are this thread's own and accumulate. All threads `meet()` twice.
template <class Meet = no_meeting>
void block_backward(const transformer_config& c, const block_tensors<const float>& w, const block_transposes& transposed,
                    std::span<const std::size_t> offsets, const rotation& rotary, const block_record& record,
                    const block_scratch& scratch, float* dx_of_all, const block_tensors<float>& gradient,
                    attention_scores<float> dscores, const share& mine = {}, const Meet& meet = {}) {
  const std::size_t d = c.width;
  const std::size_t begin = mine.begin(offsets.back());
  const std::size_t tokens = mine.end(offsets.back()) - begin;
  const block_record r = record.from(c, begin);
  float* dx = dx_of_all + begin * d;
  float* inner = scratch.inner + begin * c.feed_forward;
  float* narrow = scratch.narrow + begin * d;
  block_backward_after_attention(c, w, transposed, tokens, r, inner,
                                 is_gated(c.activation) ? scratch.du + begin * c.up_width() : inner, narrow, dx, gradient);
  meet();
  for_shared_heads(offsets, c.heads, mine, [&](std::size_t b, std::size_t h) {
    const std::size_t row = offsets[b];
    const std::size_t length = offsets[b + 1] - row;
    float* dqkv = scratch.dqkv + row * 3 * d;
    attention_backward({c.heads, c.head_width()}, h, length, length, split_qkv(record.qkv + row * 3 * d, d),
                       record.probabilities + record.places[b], {scratch.narrow + row * d, d}, {dqkv, 3 * d}, {dqkv + d, 3 * d},
                       {dqkv + 2 * d, 3 * d}, dscores, scratch.attention + mine.index * scratch.attention_size);
  });
  meet();
  float* dqkv = scratch.dqkv + begin * 3 * d;
  if (rotary.table != nullptr)
    for_shared_rows(offsets, mine, [&](std::size_t, std::size_t row, std::size_t, std::size_t from, std::size_t to) {
      for (std::size_t l = from; l < to; ++l) rotary.turn_back(c, row + l, l, scratch.dqkv + (row + l) * 3 * d);
    });
  block_backward_before_attention(c, w, transposed, tokens, r, dqkv, narrow, dx, gradient);
}

}  // namespace lacuna::nn
