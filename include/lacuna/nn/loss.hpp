/// @file
/// @brief Softmax cross-entropy of one row of logits, in nats, with its gradient.
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>

#include "lacuna/nn/simd.hpp"

namespace lacuna::nn {

/// Returns weight x (-log softmax(logits)[target]) and turns the V logits into the gradient, weight x (softmax - one hot).
inline double cross_entropy_in_place(std::size_t vocabulary, std::size_t target, float weight, float* logits) {
  const std::size_t whole = vocabulary / simd::width * simd::width;
  constexpr float lowest = -std::numeric_limits<float>::max();
  simd::packet top = simd::fill(lowest);
  for (std::size_t i = 0; i < whole; i += simd::width) top = simd::larger(top, simd::load(logits + i));
  if (whole < vocabulary) top = simd::larger(top, simd::load_part(logits + whole, vocabulary - whole, lowest));
  const float shift = simd::largest(top);
  const double from_top = static_cast<double>(shift) - static_cast<double>(logits[target]);
  const simd::packet shifts = simd::fill(shift);
  simd::map(
      vocabulary, logits, [&](const auto& v) { return simd::exponential(simd::subtract(v, shifts)); }, logits);
  const float total = simd::sum_of(
      vocabulary, [](const auto& v) { return v; }, logits);
  const simd::packet share = simd::fill(weight / total);
  simd::map(
      vocabulary, logits, [&](const auto& v) { return simd::multiply(v, share); }, logits);
  logits[target] -= weight;
  return static_cast<double>(weight) * (from_top + std::log(static_cast<double>(total)));
}

}  // namespace lacuna::nn
