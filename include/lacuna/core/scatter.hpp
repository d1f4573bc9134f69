/// @file
/// @brief scatter: spreads 64-bit numbers that differ little over all 64-bit numbers. For tables, hashes and starting values;
/// random numbers that matter for a result come from core/random.hpp.
#pragma once

#include <cstdint>

namespace lacuna {

/// The finaliser of SplitMix64 (Steele et al. 2014): a bijection that scatters consecutive counters. 0 stays 0.
constexpr std::uint64_t scatter(std::uint64_t x) {
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31U);
}

}  // namespace lacuna
