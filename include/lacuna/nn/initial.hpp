/// @file
/// @brief Normally distributed starting values that are the same on every compiler and standard library.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <span>

#include "lacuna/core/scatter.hpp"

namespace lacuna::nn {

/// Fills `out` with draws from a normal of mean 0, by Box and Muller from a counter: value i depends on seed, stream and i
/// only.
inline void fill_normal(std::span<float> out, double deviation, std::uint64_t seed, std::uint64_t stream) {
  const std::uint64_t key = scatter(scatter(seed + 0x9e3779b97f4a7c15U) ^ scatter(stream * 0xd1342543de82ef95U + 1U));
  const auto uniform = [&](std::uint64_t counter) {  // in (0, 1)
    return (static_cast<double>(scatter(key + counter * 0x9e3779b97f4a7c15U) >> 11U) + 0.5) * 0x1.0p-53;
  };
  for (std::size_t i = 0; i < out.size(); ++i) {
    const double radius = std::sqrt(-2.0 * std::log(uniform(2 * i)));
    out[i] = static_cast<float>(deviation * radius * std::cos(2.0 * std::numbers::pi * uniform(2 * i + 1)));
  }
}

}  // namespace lacuna::nn
