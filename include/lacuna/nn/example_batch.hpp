/// @file
/// @brief What a training step learns from: packed rows with a target and a weight at every position.
#pragma once

#include <cstddef>
#include <span>

#include "lacuna/core/token.hpp"

namespace lacuna::nn {

/// What weights multiply.
enum class position_loss {
  cross_entropy,  ///< of the target, in nats
  logit           ///< the target's logit as it is: for a network that is read as a number, whose gradient the weights are
};

/// Rows of any lengths, one after the other; row b is [offsets[b], offsets[b + 1]). A view: nothing is owned.
/// The loss is the sum over positions of weight x cross-entropy in nats; a position of weight 0 costs no head. What something
/// behind the network's last hidden states wants of them, a head of its own say, is added to their gradient.
struct example_batch {
  std::span<const token> inputs;
  std::span<const token> targets;        ///< read only where the weight is not 0
  std::span<const float> weights;        ///< finite; 0 = not in the loss
  std::span<const std::size_t> offsets;  ///< B + 1 entries, from 0 to inputs.size()
  position_loss loss = position_loss::cross_entropy;
  std::span<const float> hidden_gradient{};  ///< [inputs.size(), D] or empty: not part of the loss that is returned

  [[nodiscard]] std::size_t rows() const { return offsets.size() - 1; }
};

}  // namespace lacuna::nn
