/// @file
/// @brief What a head on pairs of masked positions sees of one context, and what it learns from.
///
/// Views: nothing is owned. n masked positions of one sequence, ascending; D, the size of the model's hidden states; V, its
/// vocabulary.
#pragma once

#include <cstddef>
#include <span>

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

}  // namespace lacuna::nn
