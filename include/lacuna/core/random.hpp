/// @file
/// @brief Random numbers that depend on a seed and a place, never on the order in which they are asked for.
///
/// Philox4x64-10 (Salmon et al., "Parallel Random Numbers: As Easy as 1, 2, 3", SC'11; Random123's implementation). The key
/// is (seed, purpose), the counter (draw, position, step, row): any row, step and position has a stream of its own, so a
/// row's draws do not change with its neighbours, the batch size or the number of threads. The transforms are the library's
/// own, in double, because the standard library's distributions differ from one implementation to the next.
#pragma once

#include <Random123/philox.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace lacuna {

/// What a stream is for; streams of different uses never overlap.
enum class stream_use : std::uint64_t { draw = 0, order = 1, remask = 2, training = 3, other = 4, verify = 5 };

/// One stream of random numbers. A small value: copy it to replay it.
class random_stream {
 public:
  random_stream(std::uint64_t seed, stream_use use, std::uint64_t row = 0, std::uint64_t step = 0, std::uint64_t position = 0) {
    counter_[1] = position;
    counter_[2] = step;
    counter_[3] = row;
    key_[0] = seed;
    key_[1] = static_cast<std::uint64_t>(use);
  }

  /// 64 random bits.
  std::uint64_t bits() {
    if (left_ == 0) {
      block_ = r123::Philox4x64{}(counter_, key_);
      ++counter_[0];
      left_ = 4;
    }
    return block_[4 - left_--];
  }

  /// Uniform on [0, 1), a multiple of 2^-53.
  double uniform() { return static_cast<double>(bits() >> 11U) * 0x1p-53; }

  /// Uniform on (0, 1]: its logarithm is finite.
  double uniform_positive() { return 1.0 - uniform(); }

  /// True with probability p; never for p <= 0 (or NaN), always for p >= 1.
  bool bernoulli(double p) { return uniform() < p; }

  /// Uniform on {0, …, n - 1} without bias (rejection of the incomplete last block); n >= 1.
  std::uint64_t below(std::uint64_t n) {
    const std::uint64_t threshold = (0 - n) % n;
    for (;;) {
      const std::uint64_t x = bits();
      if (x >= threshold) return x % n;
    }
  }

  /// Standard Gumbel: argmax_i (log p_i + gumbel_i) is a draw from p.
  double gumbel() { return -std::log(-std::log1p(-uniform_open())); }

  /// Uniform random order of the values (Fisher–Yates).
  template <class T>
  void shuffle(std::span<T> values) {
    for (std::size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[below(i)]);
  }

 private:
  /// Uniform on (0, 1): the midpoints of 2^52 equal cells.
  double uniform_open() { return (static_cast<double>(bits() >> 12U) + 0.5) * 0x1p-52; }

  r123::Philox4x64::ctr_type counter_{};
  r123::Philox4x64::key_type key_{};
  r123::Philox4x64::ctr_type block_{};
  unsigned left_ = 0;
};

/// The streams of one row at one step: one for the whole step and one for each position.
struct step_random {
  std::uint64_t seed = 0;
  stream_use use = stream_use::order;
  std::uint64_t row = 0;
  std::uint64_t step = 0;

  /// The stream of one position.
  [[nodiscard]] random_stream at(std::size_t position) const { return {seed, use, row, step, position}; }
  /// The stream of the step itself, distinct from that of every position.
  [[nodiscard]] random_stream whole() const { return {seed, use, row, step, ~std::uint64_t{0}}; }
};

}  // namespace lacuna
