/// @file
/// @brief What a network is trained on: packed rows of inputs, targets and loss weights.
#pragma once

#include <cstddef>
#include <span>

#include "lacuna/core/token.hpp"

namespace lacuna::nn {

/// B rows of any lengths, packed without padding and not owned. Row b is `[offsets[b], offsets[b + 1])` of each of the three
/// spans; `offsets` has B + 1 entries, starts at 0 and ends at `inputs.size()`. A position enters the loss with
/// weights[i] * cross-entropy(logits[i], targets[i]) nats; weight 0 leaves it out, and its target is not looked at.
struct example_batch {
  std::span<const token> inputs, targets;
  std::span<const float> weights;
  std::span<const std::size_t> offsets;
};

}  // namespace lacuna::nn
