/// @file
/// @brief fixed_sum: a sum that does not depend on the order of its terms.
///
/// Rows of a model may come in any order, and sums of doubles would then differ in their last bits from one form of a model to
/// another. This one adds multiples of 2^-53 as integers: each term is off by at most 2^-54, whatever the sum. For
/// probabilities and weighted entropies; the sum of the terms' magnitudes must stay below 1024.
#pragma once

#include <cassert>
#include <cmath>
#include <cstdint>

namespace lacuna {

class fixed_sum {
 public:
  void add(double x) {
    assert(std::abs(x) < 1024);
    sum_ += static_cast<std::int64_t>(std::llrint(x * 0x1p53));
  }
  [[nodiscard]] double value() const { return static_cast<double>(sum_) * 0x1p-53; }

 private:
  std::int64_t sum_ = 0;
};

}  // namespace lacuna
