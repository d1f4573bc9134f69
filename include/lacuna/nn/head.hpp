/// @file
/// @brief The output projection, tied to the token embedding or a matrix of its own, forward and backward.
///
/// Shapes: hidden, dhidden [N, D]; logits [N, V]. Memory is the caller's: call it for as many rows at a time as there is room.
#pragma once

#include <cstddef>

#include "lacuna/nn/config.hpp"
#include "lacuna/nn/layout.hpp"
#include "lacuna/nn/linear.hpp"
#include "lacuna/nn/matmul.hpp"

namespace lacuna::nn {

/// The columns [first, last) of logits = hidden W + bias, W [D, V] or the transpose of the embedding [V, D]. `logits` is where
/// column 0 of the first row would be.
inline void head_forward(const transformer_config& c, const transformer_layout& layout, const float* base, std::size_t rows,
                         const float* hidden, float* logits, std::size_t first, std::size_t last) {
  const std::size_t d = c.width;
  const std::size_t v = c.vocabulary;
  const product_start start{.rows = {}, .bias = base + layout.head_bias.offset + first};
  if (layout.head_weight)
    product(rows, last - first, d, {hidden, d}, {base + layout.head_weight->offset + first, v}, {logits + first, v}, start);
  else
    product<operand::plain, operand::transposed>(
        rows, last - first, d, {hidden, d}, {base + layout.token_embedding.offset + first * d, d}, {logits + first, v}, start);
}

/// dhidden from dlogits.
inline void head_backward_input(const transformer_config& c, const transformer_layout& layout, const float* base,
                                std::size_t rows, const float* dlogits, float* dhidden) {
  const std::size_t d = c.width;
  const std::size_t v = c.vocabulary;
  if (layout.head_weight)
    product<operand::plain, operand::transposed>(rows, d, v, {dlogits, v}, {base + layout.head_weight->offset, v},
                                                 {dhidden, d});
  else
    product(rows, d, v, {dlogits, v}, {base + layout.token_embedding.offset, d}, {dhidden, d});
}

/// The same, and the gradients of the projection accumulate.
inline void head_backward(const transformer_config& c, const transformer_layout& layout, const float* base, std::size_t rows,
                          const float* hidden, const float* dlogits, float* dhidden, float* gradient) {
  const std::size_t d = c.width;
  const std::size_t v = c.vocabulary;
  float* dbias = gradient + layout.head_bias.offset;
  if (layout.head_weight) {
    linear_backward_weight(rows, d, v, hidden, dlogits, gradient + layout.head_weight->offset, dbias);
    head_backward_input(c, layout, base, rows, dlogits, dhidden);
    return;
  }
  float* dembedding = gradient + layout.token_embedding.offset;
  product<operand::transposed, operand::plain>(v, d, rows, {dlogits, v}, {hidden, d}, {dembedding, d},
                                               {.rows = {dembedding, d}, .bias = nullptr});
  for (std::size_t r = 0; r < rows; ++r)
    simd::map(
        v, dbias, [](const auto& total, const auto& g) { return simd::add(total, g); }, dbias, dlogits + r * v);
  head_backward_input(c, layout, base, rows, dlogits, dhidden);
}

}  // namespace lacuna::nn
