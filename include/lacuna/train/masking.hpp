/// @file
/// @brief The noise of masked diffusion: which positions of a clean row are masked, and with what weight they are learned.
///
/// A noise level t in (0, 1) is drawn per row, and each of its N eligible positions is masked with probability t. With the
/// linear schedule the negative ELBO is the expectation over t of (1/t) * sum of the cross-entropies at the masked positions
/// (Sahoo et al., "Simple and Effective Masked Diffusion Language Models", 2024). A row without a mask teaches nothing, so
/// level and masks are drawn again together until there is one; the weights below account for that exactly.
///
/// Pick the levels of a batch:   `independent_levels`  t's of their own
///                               `stratified_levels`   one offset, evenly spread: less variance, the choice
///                               `antithetic_levels`   pairs t, 1 - t
/// Pick the weight of a mask:    `elbo_by_count`       N / masked: the ELBO with the least variance, the choice
///                               `elbo_by_rate`        1 / t, corrected for the redrawing
///                               `plain_weight`        1: not a bound, weights hard rows more, often trains faster
/// `mask_row` is the whole in one call. A generator is anything with `uniform() -> [0, 1)`. Cost: O(L) per row.
/// @code
/// stratified_levels{}.fill(levels, random);
/// for (std::size_t b = 0; b < levels.size(); ++b) masker.add_row(rows[b], levels[b], batch, random);
/// @endcode
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "lacuna/core/errors.hpp"
#include "lacuna/core/token.hpp"
#include "lacuna/train/batch_builder.hpp"

namespace lacuna::train {

/// Uniform random numbers in [0, 1).
template <class R>
concept uniform_generator = requires(R& random) {
  { random.uniform() } -> std::same_as<double>;
};

/// A level for each row, on its own.
struct independent_levels {
  template <uniform_generator R>
  void fill(std::span<double> levels, R& random) const {
    for (double& t : levels) t = random.uniform();
  }
};

/// Level b of B is (u + b / B) mod 1 with one u: each is uniform, together they cover [0, 1) evenly.
struct stratified_levels {
  template <uniform_generator R>
  void fill(std::span<double> levels, R& random) const {
    const double u = random.uniform();
    for (std::size_t b = 0; b < levels.size(); ++b) {
      const double t = u + static_cast<double>(b) / static_cast<double>(levels.size());
      levels[b] = t < 1 ? t : t - 1;
    }
  }
};

/// Rows in pairs t, 1 - t.
struct antithetic_levels {
  template <uniform_generator R>
  void fill(std::span<double> levels, R& random) const {
    for (std::size_t b = 0; b < levels.size(); ++b) levels[b] = b % 2 == 0 ? random.uniform() : 1 - levels[b - 1];
  }
};

/// Gives the weight of each masked position of a row, and the row's units (train/batch_builder.hpp).
template <class W>
concept mask_weight = requires(const W& weight, double t, std::size_t n) {
  { weight(t, n, n) } -> std::convertible_to<double>;     // (level, eligible, masked)
  { weight.units(n, n) } -> std::convertible_to<double>;  // (eligible, masked)
};

/// N / masked. The expectation of `elbo_by_rate` given the number of masks.
struct elbo_by_count {
  double operator()(double /*t*/, std::size_t eligible, std::size_t masked) const {
    return static_cast<double>(eligible) / static_cast<double>(masked);
  }
  [[nodiscard]] double units(std::size_t eligible, std::size_t /*masked*/) const { return static_cast<double>(eligible); }
};

/// N / (N + 1) / t: the factor is the probability that a row has a mask at all.
struct elbo_by_rate {
  double operator()(double t, std::size_t eligible, std::size_t /*masked*/) const {
    return static_cast<double>(eligible) / static_cast<double>(eligible + 1) / t;
  }
  [[nodiscard]] double units(std::size_t eligible, std::size_t /*masked*/) const { return static_cast<double>(eligible); }
};

/// 1: the mean cross-entropy of the masked positions.
struct plain_weight {
  double operator()(double /*t*/, std::size_t /*eligible*/, std::size_t /*masked*/) const { return 1; }
  [[nodiscard]] double units(std::size_t /*eligible*/, std::size_t masked) const { return static_cast<double>(masked); }
};

/// Masks rows into a batch. Keeps scratch between rows.
template <mask_weight Weight = elbo_by_count>
class masker {
 public:
  explicit masker(token mask, Weight weight = {}) : mask_{mask}, weight_{weight} {}

  /// Masks some positions of `row` and appends it to the batch. `eligible`: 1 where a position may be masked; empty:
  /// everywhere. `level` is the first level tried. Errors: `invalid_argument` if nothing is eligible or the lengths differ.
  template <uniform_generator R>
  void add_row(std::span<const token> row, std::span<const std::uint8_t> eligible, double level, batch_builder& batch,
               R& random) {
    std::size_t candidates = row.size();
    if (!eligible.empty()) {
      if (eligible.size() != row.size()) {
        throw invalid_argument{"masking: " + std::to_string(eligible.size()) + " flags, expected " +
                               std::to_string(row.size())};
      }
      candidates = 0;
      for (const std::uint8_t flag : eligible) candidates += flag != 0 ? 1 : 0;
    }
    if (candidates == 0) {
      throw invalid_argument{"masking: no eligible position among " + std::to_string(row.size()) + ", expected at least one"};
    }
    weights_.assign(row.size(), 0.0F);
    std::size_t masked = 0;
    for (;; level = random.uniform()) {
      for (std::size_t i = 0; i < row.size(); ++i) {
        if (!eligible.empty() && eligible[i] == 0) continue;
        if (random.uniform() < level) {
          weights_[i] = 1;
          ++masked;
        }
      }
      if (masked != 0) break;
    }
    inputs_.assign(row.begin(), row.end());
    const auto weight = static_cast<float>(weight_(level, candidates, masked));
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (weights_[i] == 0.0F) continue;
      inputs_[i] = mask_;
      weights_[i] = weight;
    }
    batch.add(inputs_, row, weights_, weight_.units(candidates, masked));
  }

  /// The same with every position eligible.
  template <uniform_generator R>
  void add_row(std::span<const token> row, double level, batch_builder& batch, R& random) {
    add_row(row, {}, level, batch, random);
  }

 private:
  token mask_;
  Weight weight_;
  std::vector<token> inputs_;
  std::vector<float> weights_;
};

}  // namespace lacuna::train
