#include "lacuna/core/fixed_sum.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "lacuna/core/random.hpp"

using lacuna::fixed_sum;

TEST_CASE("a fixed sum is the same in any order, a sum of doubles is not") {
  lacuna::random_stream rng(5, lacuna::stream_use::other);
  std::vector<double> terms;
  for (int i = 0; i < 1000; ++i) terms.push_back(std::exp(-20 * rng.uniform()) / 100);
  const auto sums = [&] {
    fixed_sum fixed;
    double floating = 0;
    for (const double x : terms) {
      fixed.add(x);
      floating += x;
    }
    return std::pair{fixed.value(), floating};
  };
  const auto first = sums();
  bool floating_changes = false;
  for (int i = 0; i < 20; ++i) {
    rng.shuffle(std::span{terms});
    const auto again = sums();
    CHECK(again.first == first.first);
    floating_changes = floating_changes || again.second != first.second;
  }
  CHECK(floating_changes);
  CHECK(std::abs(first.first - first.second) < 1000 * 0x1p-53);
}

TEST_CASE("numbers of either sign up to the limit are added") {
  fixed_sum s;
  CHECK(s.value() == 0);
  s.add(1000.5);
  s.add(-0.25);
  CHECK(s.value() == 1000.25);
  s.add(-1000.25);
  CHECK(s.value() == 0);
}
