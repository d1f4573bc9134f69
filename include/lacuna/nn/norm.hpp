/// @file
/// @brief Layer norm and RMS norm, forward and backward.
///
/// Shapes: x, y, dx, dy [N, D]; weight, bias and their gradients [D]; statistics [N, 2] (mean, reciprocal deviation). Without a
/// bias (a null pointer) it is the RMS norm: y = x / sqrt(mean(x^2) + epsilon) * weight; with one the mean is taken off first
/// and the bias added last.
#pragma once

#include <cmath>
#include <cstddef>

#include "lacuna/nn/simd.hpp"

namespace lacuna::nn {

/// y = norm(x), token by token. `statistics` may be null where no backward pass follows.
inline void norm_forward(std::size_t tokens, std::size_t width, const float* x, const float* weight, const float* bias,
                         float epsilon, float* y, float* statistics) {
  const float share = 1.0F / static_cast<float>(width);
  for (std::size_t n = 0; n < tokens; ++n, x += width, y += width) {
    float mean = 0.0F;
    float squares = 0.0F;
    if (bias != nullptr) {
      mean = share * simd::sum_of(
                         width, [](const auto& v) { return v; }, x);
      // Deviations from the mean, not squares minus a square: no cancellation. The tail is scalar, for padding would add
      // mean^2.
      const simd::packet shift = simd::fill(mean);
      const std::size_t whole = width / simd::width * simd::width;
      squares = simd::sum_of(
          whole,
          [&](const auto& v) {
            const auto d = simd::subtract(v, shift);
            return simd::multiply(d, d);
          },
          x);
      for (std::size_t d = whole; d < width; ++d) squares += (x[d] - mean) * (x[d] - mean);
    } else {
      squares = simd::sum_of(
          width, [](const auto& v) { return simd::multiply(v, v); }, x);
    }
    const float scale = 1.0F / std::sqrt(share * squares + epsilon);
    const simd::packet a = simd::fill(scale);
    if (bias != nullptr) {
      const simd::packet b = simd::fill(-mean * scale);
      simd::map(
          width, y,
          [&](const auto& v, const auto& w, const auto& s) { return simd::multiply_add(simd::multiply_add(v, a, b), w, s); }, x,
          weight, bias);
    } else {
      simd::map(
          width, y, [&](const auto& v, const auto& w) { return simd::multiply(simd::multiply(v, a), w); }, x, weight);
    }
    if (statistics != nullptr) {
      statistics[2 * n] = mean;
      statistics[2 * n + 1] = scale;
    }
  }
}

/// dx += the gradient through the norm; dweight and dbias (if any) accumulate.
inline void norm_backward(std::size_t tokens, std::size_t width, const float* x, const float* statistics, const float* weight,
                          const float* dy, float* dx, float* dweight, float* dbias) {
  const float share = 1.0F / static_cast<float>(width);
  for (std::size_t n = 0; n < tokens; ++n, x += width, dy += width, dx += width) {
    const float mean = statistics[2 * n];
    const float scale = statistics[2 * n + 1];
    const simd::packet a = simd::fill(scale);
    const simd::packet b = simd::fill(-mean * scale);
    float mean_g = 0.0F;
    if (dbias != nullptr)
      mean_g = share * simd::sum_of(
                           width, [](const auto& g, const auto& w) { return simd::multiply(g, w); }, dy, weight);
    const float mean_gx = share * simd::sum_of(
                                      width,
                                      [&](const auto& g, const auto& w, const auto& v) {
                                        return simd::multiply(simd::multiply(g, w), simd::multiply_add(v, a, b));
                                      },
                                      dy, weight, x);
    const simd::packet shift = simd::fill(-scale * mean_g);
    const simd::packet slope = simd::fill(-scale * mean_gx);
    simd::map(
        width, dweight,
        [&](const auto& total, const auto& g, const auto& v) {
          return simd::multiply_add(g, simd::multiply_add(v, a, b), total);
        },
        dweight, dy, x);
    if (dbias != nullptr)
      simd::map(
          width, dbias, [](const auto& total, const auto& g) { return simd::add(total, g); }, dbias, dy);
    simd::map(
        width, dx,
        [&](const auto& total, const auto& g, const auto& w, const auto& v) {
          const auto through = simd::multiply_add(simd::multiply(g, w), a, shift);
          return simd::add(total, simd::multiply_add(simd::multiply_add(v, a, b), slope, through));
        },
        dx, dy, weight, x);
  }
}

}  // namespace lacuna::nn
