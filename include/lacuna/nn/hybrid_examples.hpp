/// @file
/// @brief What a training step of a hybrid transformer learns from: rows of tokens, each with an order and how much of it is
/// revealed.
#pragma once

#include <cstddef>
#include <span>

#include "lacuna/core/token.hpp"

namespace lacuna::nn {

/// Rows of any lengths, one after the other; row b is [offsets[b], offsets[b + 1]). A view: nothing is owned. The draft of row
/// b sees the tokens at its first revealed[b] tracks, the target of track d those at all tracks before d. The loss of a row of
/// N is N / (N - revealed) x the sum over its other tracks of -log draft - log target, in nats.
struct hybrid_examples {
  std::span<const token> tokens;
  std::span<const std::size_t> orders;    ///< the position in its row of each track: each row's a permutation of 0 .. N - 1
  std::span<const std::size_t> revealed;  ///< [B], each less than its row's N
  std::span<const std::size_t> offsets;   ///< B + 1 entries, from 0 to tokens.size()

  [[nodiscard]] std::size_t rows() const { return revealed.size(); }
};

/// A loss, the draft's part and the target's apart.
struct hybrid_loss {
  double draft = 0;
  double target = 0;
  [[nodiscard]] double sum() const { return draft + target; }
};

/// Per token of the examples.
inline hybrid_loss per_token(const hybrid_loss& loss, const hybrid_examples& examples) {
  const auto tokens = static_cast<double>(examples.tokens.size());
  return {loss.draft / tokens, loss.target / tokens};
}

}  // namespace lacuna::nn
