/// @file
/// @brief The nonlinearities of the feed-forward part, forward and backward.
///
/// Shapes: u [N, F] for GELU, [N, 2F] for SwiGLU (gate first); g [N, F].
/// `gelu` is the tanh form, 0.5 u (1 + tanh(sqrt(2/pi) (u + 0.044715 u^3))) = u s(2 sqrt(2/pi) (u + 0.044715 u^3)) with the
/// logistic function s, at most 5e-4 away from `gelu_erf`, 0.5 u (1 + erf(u / sqrt 2)). SwiGLU is gate s(gate) value.
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

/// With the derivative, s + u s (1 - s) (a + 3 b u^2).
inline simd::packet_pair gelu_with_slope(const simd::packet& u) {
  const simd::packet square = simd::multiply(u, u);
  const simd::packet slope = simd::multiply_add(square, simd::fill(gelu_constants::cubic), simd::fill(gelu_constants::linear));
  const simd::packet s = simd::logistic(simd::multiply(u, slope));
  const simd::packet value = simd::multiply(u, s);
  const simd::packet inner =
      simd::multiply_add(square, simd::fill(3.0F * gelu_constants::cubic), simd::fill(gelu_constants::linear));
  const simd::packet spread = simd::multiply(value, simd::subtract(simd::fill(1.0F), s));
  return {value, simd::multiply_add(spread, inner, s)};
}

namespace gelu_erf_constants {
inline constexpr float root_half = 0.7071067812F;     // 1 / sqrt 2
inline constexpr float peak_density = 0.3989422804F;  // 1 / sqrt(2 pi)
}  // namespace gelu_erf_constants

/// max(u, 0) - |u| erfc(|u| / sqrt 2) / 2, which is u (1 + erf(u / sqrt 2)) / 2 without cancellation where u is negative.
inline simd::packet gelu_erf(const simd::packet& u) {
  const simd::packet size = simd::magnitude(u);
  const simd::packet beyond = simd::complementary_error(simd::multiply(size, simd::fill(gelu_erf_constants::root_half))).first;
  return simd::multiply_add(simd::multiply(size, simd::fill(-0.5F)), beyond, simd::larger(u, simd::fill(0.0F)));
}

/// With the derivative: the distribution function plus u times the density of the normal. At -|u| that is
/// erfc(|u| / sqrt 2) / 2 - |u| density, at |u| what is missing to 1.
inline simd::packet_pair gelu_erf_with_slope(const simd::packet& u) {
  const simd::packet size = simd::magnitude(u);
  const auto [beyond, bell] = simd::complementary_error(simd::multiply(size, simd::fill(gelu_erf_constants::root_half)));
  const simd::packet share = simd::multiply(beyond, simd::fill(0.5F));
  const simd::packet left =
      simd::multiply_add(simd::multiply(size, simd::fill(-gelu_erf_constants::peak_density)), bell, share);
  const simd::packet value = simd::subtract(simd::larger(u, simd::fill(0.0F)), simd::multiply(size, share));
  return {value, simd::where_negative(u, left, simd::subtract(simd::fill(1.0F), left))};
}

/// g = gelu(u), or gate s(gate) value. g may be u for an activation that is not gated.
inline void activation_forward(activation kind, std::size_t tokens, std::size_t inner, const float* u, float* g) {
  for (std::size_t n = 0; n < tokens; ++n, g += inner) {
    if (kind == activation::gelu) {
      simd::map(
          inner, g, [](const auto& v) { return gelu(v); }, u);
      u += inner;
    } else if (kind == activation::gelu_erf) {
      simd::map(
          inner, g, [](const auto& v) { return gelu_erf(v); }, u);
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

/// The same for training: u is replaced by the derivative of g with respect to it.
inline void activation_forward_with_slopes(activation kind, std::size_t tokens, std::size_t inner, float* u, float* g) {
  for (std::size_t n = 0; n < tokens; ++n, g += inner) {
    if (kind == activation::gelu) {
      simd::map_two(
          inner, g, u, [](const auto& v) { return gelu_with_slope(v); }, u);
      u += inner;
    } else if (kind == activation::gelu_erf) {
      simd::map_two(
          inner, g, u, [](const auto& v) { return gelu_erf_with_slope(v); }, u);
      u += inner;
    } else {
      float* value = u + inner;
      simd::map(
          inner, g, [](const auto& a, const auto& v) { return simd::multiply(simd::multiply(a, simd::logistic(a)), v); }, u,
          value);
      // d/dgate = value (s + gate s (1 - s)), d/dvalue = gate s.
      simd::map_two(
          inner, u, value,
          [](const auto& a, const auto& v) {
            const auto s = simd::logistic(a);
            const auto gated = simd::multiply(a, s);
            const auto slope = simd::multiply_add(gated, simd::subtract(simd::fill(1.0F), s), s);
            return simd::packet_pair{simd::multiply(v, slope), gated};
          },
          u, value);
      u += 2 * inner;
    }
  }
}

/// du from dg and the slopes that the forward pass left. du may be dg itself for an activation that is not gated.
inline void activation_backward(activation kind, std::size_t tokens, std::size_t inner, const float* slopes, const float* dg,
                                float* du) {
  const std::size_t parts = is_gated(kind) ? 2 : 1;
  for (std::size_t n = 0; n < tokens; ++n, dg += inner)
    for (std::size_t part = 0; part < parts; ++part, slopes += inner, du += inner)
      simd::map(
          inner, du, [](const auto& d, const auto& s) { return simd::multiply(d, s); }, dg, slopes);
}

}  // namespace lacuna::nn
