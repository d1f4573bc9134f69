/// @file
/// @brief What a head on pairs of masked positions sees of one context, and what it learns from.
///
/// Views: nothing is owned. n masked positions of one sequence, ascending; D, the size of the model's hidden states; V, its
/// vocabulary. The checks throw invalid_argument that says what was got and expected.
#pragma once

#include <cmath>
#include <cstddef>
#include <span>
#include <string>

#include "lacuna/core/errors.hpp"

namespace lacuna::nn {

struct pair_context {
  std::span<const std::size_t> positions;  ///< [n] in the sequence
  std::span<const float> hidden;           ///< [n, D]
  std::span<const float> log_p;            ///< [n, V], may hold -infinity; empty if the head does not read it
  std::span<const float> entropies;        ///< [n] nats; empty if the head does not read them

  /// n.
  [[nodiscard]] std::size_t size() const { return positions.size(); }
};

/// A context with what is known of its pairs. The loss is the sum over a < b of weight x (loss of the estimate).
struct pair_example {
  pair_context context;
  std::span<const float> targets;  ///< [n, n] information in nats, symmetric; read only where the weight is not 0
  std::span<const float> weights;  ///< [n, n] symmetric; 0 = not in the loss; the diagonal is not looked at
};

/// Refuses `got` things of a kind where there must be `expected`.
inline void expect_count(std::size_t got, std::size_t expected, const char* what) {
  if (got != expected)
    throw invalid_argument("head on pairs: got " + std::to_string(got) + " " + what + ", expected " + std::to_string(expected));
}

/// Refuses positions that are not those of the context, and a result of another size than m x m.
inline void check_chosen(const pair_context& context, std::span<const std::size_t> chosen, std::span<const double> out) {
  for (const std::size_t k : chosen)
    if (k >= context.size())
      throw invalid_argument("head on pairs: position number " + std::to_string(k) + " was chosen, expected less than " +
                             std::to_string(context.size()));
  expect_count(out.size(), chosen.size() * chosen.size(), "places for estimates");
}

/// Refuses targets and weights of the wrong number, and such as no loss can be made of. Time n^2.
inline void check_pairs(const pair_example& e) {
  const std::size_t n = e.context.size();
  expect_count(e.targets.size(), n * n, "targets");
  expect_count(e.weights.size(), n * n, "weights");
  const auto good = [](float x) { return x >= 0 && std::isfinite(x); };
  const auto at = [&](std::size_t a, std::size_t b) {
    return " for positions " + std::to_string(e.context.positions[a]) + " and " + std::to_string(e.context.positions[b]);
  };
  for (std::size_t a = 0; a < n; ++a)
    for (std::size_t b = 0; b < a; ++b) {
      const float weight = e.weights[a * n + b];
      const float target = e.targets[a * n + b];
      if (!good(weight))
        throw invalid_argument("head on pairs: weight " + std::to_string(weight) + at(a, b) + ", expected at least 0");
      if (weight != 0 && !good(target))
        throw invalid_argument("head on pairs: target " + std::to_string(target) + at(a, b) + ", expected nats, at least 0");
    }
}

}  // namespace lacuna::nn
