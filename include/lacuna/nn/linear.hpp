/// @file
/// @brief y = x W + bias, forward and backward.
///
/// Shapes: x [N, I], W [I, O], bias [O], y [N, O]. W is stored input first, so that the forward pass reads it as it lies.
#pragma once

#include <cstddef>

#include "lacuna/nn/matmul.hpp"

namespace lacuna::nn {

/// y = x W + bias.
inline void linear_forward(std::size_t tokens, std::size_t in, std::size_t out, const float* x, const float* weight,
                           const float* bias, float* y) {
  product(tokens, out, in, {x, in}, {weight, out}, {y, out}, {.rows = {}, .bias = bias});
}

/// y = onto + x W + bias: the end of a residual branch. `onto` [N, O] may be y.
inline void linear_forward_onto(std::size_t tokens, std::size_t in, std::size_t out, const float* x, const float* weight,
                                const float* bias, const float* onto, float* y) {
  product(tokens, out, in, {x, in}, {weight, out}, {y, out}, {.rows = {onto, out}, .bias = bias});
}

/// dx = dy W^T.
inline void linear_backward_input(std::size_t tokens, std::size_t in, std::size_t out, const float* dy, const float* weight,
                                  float* dx) {
  product<operand::plain, operand::transposed>(tokens, in, out, {dy, out}, {weight, out}, {dx, in});
}

/// dW += x^T dy, dbias += column sums of dy.
inline void linear_backward_weight(std::size_t tokens, std::size_t in, std::size_t out, const float* x, const float* dy,
                                   float* dweight, float* dbias) {
  product<operand::transposed, operand::plain>(in, out, tokens, {x, in}, {dy, out}, {dweight, out}, {.rows = {dweight, out}});
  for (std::size_t n = 0; n < tokens; ++n)
    simd::map(
        out, dbias, [](const auto& total, const auto& g) { return simd::add(total, g); }, dbias, dy + n * out);
}

}  // namespace lacuna::nn
