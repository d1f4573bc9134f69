/// @file
/// @brief One pre-norm transformer block, forward and backward: x + attention(norm(x)), then + feed_forward(norm(.)).
///
/// Shapes: x, y and everything a token wide [N, D], N tokens of rows packed one after the other; qkv [N, 3D]; u [N, U], g [N,
/// F]. The two halves before and after the attention treat every token by itself, so a caller may split them between threads
/// where it likes. Cost per token 2 (4 D^2 + D U + F D) + 4 L D operations forward, twice that backward.
#pragma once

#include <cstddef>
#include <span>

#include "lacuna/nn/attention.hpp"
#include "lacuna/nn/config.hpp"
#include "lacuna/nn/feed_forward.hpp"
#include "lacuna/nn/layout.hpp"
#include "lacuna/nn/linear.hpp"
#include "lacuna/nn/norm.hpp"
#include "lacuna/nn/rotary.hpp"

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
  float* probabilities;                              ///< [H, L, P] for each row in turn
};

/// norm -> queries, keys, values. `h` is scratch [tokens, D] (kept for training), `statistics` may be null.
inline void block_before_attention(const transformer_config& c, const block_tensors<const float>& w, std::size_t tokens,
                                   const float* x, float* h, float* qkv, float* statistics) {
  norm_forward(tokens, c.width, x, w.norm1_weight, w.norm1_bias, c.norm_epsilon, h, statistics);
  linear_forward(tokens, c.width, 3 * c.width, h, w.qkv_weight, w.qkv_bias, qkv);
}

/// middle = x + attended W + b; y = middle + feed_forward(norm(middle)). y, middle and x may be the same. Without statistics
/// no backward pass follows, and g may be u for GELU; with them u is left as the slopes of the activation.
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

/// Turns the queries and keys of `tokens` tokens that stand at `position`, `position` + 1, ... of a row.
inline void turn_queries_and_keys(const transformer_config& c, const rotary_table& table, std::size_t tokens,
                                  std::size_t position, float* qkv) {
  for (std::size_t n = 0; n < tokens; ++n, qkv += 3 * c.width) {
    table.turn(position + n, c.heads, qkv);
    table.turn(position + n, c.heads, qkv + c.width);
  }
}

/// The forward pass with a record, over whole rows; `offsets` are the B + 1 row boundaries from 0.
inline void block_forward(const transformer_config& c, const block_tensors<const float>& w,
                          std::span<const std::size_t> offsets, attention_scores<const float> scores,
                          const rotary_table* rotary, const block_record& r, float* y) {
  const std::size_t tokens = offsets.back();
  const std::size_t d = c.width;
  block_before_attention(c, w, tokens, r.x, r.h1, r.qkv, r.statistics1);
  float* probabilities = r.probabilities;
  for (std::size_t b = 0; b + 1 < offsets.size(); ++b) {
    const std::size_t length = offsets[b + 1] - offsets[b];
    float* qkv = r.qkv + offsets[b] * 3 * d;
    if (rotary != nullptr) turn_queries_and_keys(c, *rotary, length, 0, qkv);
    const std::size_t head_stride = length * simd::padded(length);
    attention_forward({c.heads, c.head_width()}, length, 0, length, split_qkv(qkv, d), scores, probabilities, head_stride,
                      {r.attended + offsets[b] * d, d});
    probabilities += c.heads * head_stride;
  }
  block_after_attention(c, w, tokens, r.x, r.attended, r.middle, r.h2, r.u, r.g, y, r.statistics2);
}

/// Scratch of the backward pass.
struct block_scratch {
  float* wide;       ///< [N, max(U, 3D)]
  float* inner;      ///< [N, F]
  float* narrow;     ///< [N, D]
  float* attention;  ///< [L, P] for the longest row
};

/// dx (in place: on entry the gradient of y, on return that of x); gradients accumulate.
inline void block_backward(const transformer_config& c, const block_tensors<const float>& w, const block_transposes& transposed,
                           std::span<const std::size_t> offsets, const rotary_table* rotary, const block_record& r,
                           const block_scratch& s, float* dx, const block_tensors<float>& gradient,
                           attention_scores<float> dscores) {
  const std::size_t tokens = offsets.back();
  const std::size_t d = c.width;
  // Feed-forward branch.
  linear_backward_weight(tokens, c.feed_forward, d, r.g, dx, gradient.down_weight, gradient.down_bias);
  linear_backward_input(tokens, c.feed_forward, d, dx, transposed.down, s.inner);
  float* du = c.activation == activation::gelu ? s.inner : s.wide;
  activation_backward(c.activation, tokens, c.feed_forward, r.u, s.inner, du);
  linear_backward_weight(tokens, d, c.up_width(), r.h2, du, gradient.up_weight, gradient.up_bias);
  linear_backward_input(tokens, d, c.up_width(), du, transposed.up, s.narrow);
  norm_backward(tokens, d, r.middle, r.statistics2, w.norm2_weight, s.narrow, dx, gradient.norm2_weight, gradient.norm2_bias);
  // Attention branch.
  linear_backward_weight(tokens, d, d, r.attended, dx, gradient.out_weight, gradient.out_bias);
  linear_backward_input(tokens, d, d, dx, transposed.out, s.narrow);
  const float* probabilities = r.probabilities;
  for (std::size_t b = 0; b + 1 < offsets.size(); ++b) {
    const std::size_t length = offsets[b + 1] - offsets[b];
    float* dqkv = s.wide + offsets[b] * 3 * d;
    attention_backward({c.heads, c.head_width()}, length, split_qkv(r.qkv + offsets[b] * 3 * d, d), probabilities,
                       {s.narrow + offsets[b] * d, d}, {dqkv, 3 * d}, {dqkv + d, 3 * d}, {dqkv + 2 * d, 3 * d}, dscores,
                       s.attention);
    if (rotary != nullptr)
      for (std::size_t l = 0; l < length; ++l) {
        rotary->turn_back(l, c.heads, dqkv + l * 3 * d);
        rotary->turn_back(l, c.heads, dqkv + l * 3 * d + d);
      }
    probabilities += c.heads * length * simd::padded(length);
  }
  linear_backward_weight(tokens, d, 3 * d, r.h1, s.wide, gradient.qkv_weight, gradient.qkv_bias);
  linear_backward_input(tokens, d, 3 * d, s.wide, transposed.qkv, s.narrow);
  norm_backward(tokens, d, r.x, r.statistics1, w.norm1_weight, s.narrow, dx, gradient.norm1_weight, gradient.norm1_bias);
}

}  // namespace lacuna::nn
