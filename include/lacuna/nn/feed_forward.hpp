/// @file
/// @brief The nonlinearities of the feed-forward part, forward and backward.
///
/// Shapes: u [N, F] for GELU, [N, 2F] for SwiGLU (gate first); g [N, F].
/// GELU is the tanh form, 0.5 u (1 + tanh(sqrt(2/pi) (u + 0.044715 u^3))) = u s(2 sqrt(2/pi) (u + 0.044715 u^3)) with the
/// logistic function s, at most 5e-4 away from the form with erf. SwiGLU is gate s(gate) value.
#pragma once

#include <cstddef>

#include "lacuna/nn/config.hpp"
#include "lacuna/nn/simd.hpp"

namespace lacuna::nn {

namespace gelu_constants {
inline constexpr float linear = 1.5957691216F;  // 2 sqrt(2/pi)
inline constexpr float cubic = 0.0713548163F;   // 2 sqrt(2/pi) 0.044715
}  // namespace gelu_constants

/// u s(a u + b u^3).
inline simd::packet gelu(const simd::packet& u) {
  const simd::packet square = simd::multiply(u, u);
  const simd::packet slope = simd::multiply_add(square, simd::fill(gelu_constants::cubic), simd::fill(gelu_constants::linear));
  return simd::multiply(u, simd::logistic(simd::multiply(u, slope)));
}

/// The derivative of `gelu`: s + u s (1 - s) (a + 3 b u^2).
inline simd::packet gelu_slope(const simd::packet& u) {
  const simd::packet square = simd::multiply(u, u);
  const simd::packet slope = simd::multiply_add(square, simd::fill(gelu_constants::cubic), simd::fill(gelu_constants::linear));
  const simd::packet s = simd::logistic(simd::multiply(u, slope));
  const simd::packet inner =
      simd::multiply_add(square, simd::fill(3.0F * gelu_constants::cubic), simd::fill(gelu_constants::linear));
  const simd::packet spread = simd::multiply(s, simd::subtract(simd::fill(1.0F), s));
  return simd::multiply_add(simd::multiply(u, inner), spread, s);
}

/// g = gelu(u), or gate s(gate) value.
inline void activation_forward(activation kind, std::size_t tokens, std::size_t inner, const float* u, float* g) {
  for (std::size_t n = 0; n < tokens; ++n, g += inner) {
    if (kind == activation::gelu) {
      simd::map(
          inner, g, [](const auto& v) { return gelu(v); }, u);
      u += inner;
    } else {
      simd::map(
          inner, g,
          [](const auto& gate, const auto& value) { return simd::multiply(simd::multiply(gate, simd::logistic(gate)), value); },
          u, u + inner);
      u += 2 * inner;
    }
  }
}

/// du from dg and u. For GELU du may be dg itself.
inline void activation_backward(activation kind, std::size_t tokens, std::size_t inner, const float* u, const float* dg,
                                float* du) {
  for (std::size_t n = 0; n < tokens; ++n, dg += inner) {
    if (kind == activation::gelu) {
      simd::map(
          inner, du, [](const auto& d, const auto& v) { return simd::multiply(d, gelu_slope(v)); }, dg, u);
      u += inner;
      du += inner;
    } else {
      simd::map(
          inner, du,
          [](const auto& d, const auto& gate, const auto& value) {
            const auto s = simd::logistic(gate);
            const auto slope = simd::multiply_add(simd::multiply(gate, s), simd::subtract(simd::fill(1.0F), s), s);
            return simd::multiply(simd::multiply(d, value), slope);
          },
          dg, u, u + inner);
      simd::map(
          inner, du + inner,
          [](const auto& d, const auto& gate) { return simd::multiply(d, simd::multiply(gate, simd::logistic(gate))); }, dg, u);
      u += 2 * inner;
      du += 2 * inner;
    }
  }
}

}  // namespace lacuna::nn
