/// @file
/// @brief y = x W + bias, forward and backward.
///
/// Shapes: x [N, I], W [I, O], bias [O], y [N, O]. W is stored input first, so that the forward pass reads it as it lies. With
/// LACUNA_NN_BF16 the products are those of nn/bf16_product.hpp: less exact, several times as fast.
#pragma once

#include <cstddef>

#include "lacuna/nn/bf16_product.hpp"
#include "lacuna/nn/matmul.hpp"

namespace lacuna::nn {

/// The product of a layer: C [m, n] = start + A [m, k] (or [k, m]) B [k, n].
template <operand A = operand::plain>
void linear_product(std::size_t m, std::size_t n, std::size_t k, const_matrix a, const_matrix b, matrix c,
                    product_start start = {}) {
#ifdef LACUNA_NN_BF16
  bf16::product<A == operand::transposed>(m, n, k, a.data, a.stride, b.data, b.stride, start.rows.data, start.rows.stride,
                                          start.bias, c.data, c.stride);
#else
  product<A>(m, n, k, a, b, c, start);
#endif
}

/// y = x W + bias.
inline void linear_forward(std::size_t tokens, std::size_t in, std::size_t out, const float* x, const float* weight,
                           const float* bias, float* y) {
  linear_product(tokens, out, in, {x, in}, {weight, out}, {y, out}, {.rows = {}, .bias = bias});
}

/// y = onto + x W + bias: the end of a residual branch. `onto` [N, O] may be y.
inline void linear_forward_onto(std::size_t tokens, std::size_t in, std::size_t out, const float* x, const float* weight,
                                const float* bias, const float* onto, float* y) {
  linear_product(tokens, out, in, {x, in}, {weight, out}, {y, out}, {.rows = {onto, out}, .bias = bias});
}

/// dx = dy W^T, with the transpose [O, I] given.
inline void linear_backward_input(std::size_t tokens, std::size_t in, std::size_t out, const float* dy,
                                  const float* transposed_weight, float* dx) {
  linear_product(tokens, in, out, {dy, out}, {transposed_weight, in}, {dx, in});
}

/// dW += x^T dy, dbias += column sums of dy.
inline void linear_backward_weight(std::size_t tokens, std::size_t in, std::size_t out, const float* x, const float* dy,
                                   float* dweight, float* dbias) {
  linear_product<operand::transposed>(in, out, tokens, {x, in}, {dy, out}, {dweight, out}, {.rows = {dweight, out}});
  std::size_t n = 0;
  for (; n + 4 <= tokens; n += 4) {  // four rows for each visit to dbias
    const float* row = dy + n * out;
    simd::map(
        out, dbias,
        [](const auto& total, const auto& a, const auto& b, const auto& c, const auto& d) {
          return simd::add(total, simd::add(simd::add(a, b), simd::add(c, d)));
        },
        dbias, row, row + out, row + 2 * out, row + 3 * out);
  }
  for (; n < tokens; ++n)
    simd::map(
        out, dbias, [](const auto& total, const auto& g) { return simd::add(total, g); }, dbias, dy + n * out);
}

}  // namespace lacuna::nn
