/// @file
/// @brief Rotary positions: queries and keys turned by angles that grow with the position (Su et al., arXiv 2104.09864).
///
/// Element i of a head is paired with element i + E/2 and turned by position x base^(-2 i / E). Turning back is the gradient.
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include "lacuna/nn/matmul.hpp"

namespace lacuna::nn {

/// Cosines and sines for every position, [max_length, E/2] each.
class rotary_table {
 public:
  rotary_table() = default;
  rotary_table(std::size_t max_length, std::size_t head_width, float base) : half_{head_width / 2} {
    cosines_.reserve(max_length * half_);
    sines_.reserve(max_length * half_);
    for (std::size_t l = 0; l < max_length; ++l)
      for (std::size_t i = 0; i < half_; ++i) {
        const double angle =
            static_cast<double>(l) * std::pow(static_cast<double>(base), -static_cast<double>(i) / static_cast<double>(half_));
        cosines_.push_back(static_cast<float>(std::cos(angle)));
        sines_.push_back(static_cast<float>(std::sin(angle)));
      }
  }

  /// Turns one token's heads, x [H, E], by its position.
  void turn(std::size_t position, std::size_t heads, float* x) const { turn(position, heads, x, 1.0F); }
  /// The inverse, which is also the gradient of `turn`.
  void turn_back(std::size_t position, std::size_t heads, float* x) const { turn(position, heads, x, -1.0F); }

 private:
  void turn(std::size_t position, std::size_t heads, float* x, float sign) const {
    const float* cosine = cosines_.data() + position * half_;
    const float* sine = sines_.data() + position * half_;
    for (std::size_t h = 0; h < heads; ++h, x += 2 * half_)
      for (std::size_t i = 0; i < half_; ++i) {
        const float a = x[i];
        const float b = x[half_ + i];
        const float s = sign * sine[i];
        x[i] = a * cosine[i] - b * s;
        x[half_ + i] = b * cosine[i] + a * s;
      }
  }

  std::size_t half_ = 0;
  std::vector<float> cosines_;
  std::vector<float> sines_;
};

}  // namespace lacuna::nn
