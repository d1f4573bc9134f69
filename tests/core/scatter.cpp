#include "lacuna/core/scatter.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstdint>

using namespace lacuna;

TEST_CASE("scattered counters are SplitMix64's numbers") {
  // The first outputs of SplitMix64 with seed 0, whose state is a counter of golden ratios. Networks' starting values are
  // made of them.
  const std::uint64_t golden = 0x9e3779b97f4a7c15U;
  static_assert(scatter(0) == 0);
  CHECK(scatter(golden) == 0xe220a8397b1dcdafU);
  CHECK(scatter(2 * golden) == 0x6e789e6aa1b965f4U);
  CHECK(scatter(3 * golden) == 0x06c45d188009454fU);
}

TEST_CASE("one bit of the input changes half of the bits of the output") {
  int changed = 0;
  for (std::uint64_t x = 1; x <= 64; ++x)
    for (int bit = 0; bit < 64; ++bit) changed += std::popcount(scatter(x) ^ scatter(x ^ (std::uint64_t{1} << bit)));
  // Each of the 4096 counts is 32 with a deviation of 4 for a random function: five standard errors of their mean.
  CHECK(std::abs(changed / 4096.0 - 32) < 5 * 4 / 64.0);
}
