/// @file
/// @brief What a model must be able to do to be trained: the last rung of the model ladder.
///
/// A trainable model has parameters and the gradient of a loss; it need not be a `masked_model`, and it need not be a network.
#pragma once

#include <concepts>
#include <span>

#include "lacuna/nn/example_batch.hpp"
#include "lacuna/nn/parameters.hpp"

namespace lacuna::train {

/// `m.parameters()`: the parameters, by reference.
template <class M>
concept has_parameters = requires(M& m) {
  { m.parameters() } -> std::same_as<nn::parameters&>;
};

/// `m.loss_and_gradient(batch, gradient)`: returns the sum over the batch of weight * loss (cross-entropy in nats, for a
/// network of tokens), and *adds* its gradient to `gradient`, which has the layout of the parameters.
template <class M, class Examples = nn::example_batch>
concept has_loss_and_gradient = requires(M& m, const Examples& batch, std::span<float> gradient) {
  { m.loss_and_gradient(batch, gradient) } -> std::same_as<double>;
};

/// A model that `train::run` trains; `Examples` is what it learns from, tokens if nothing is said. Laws that a concept cannot
/// say: the same parameters and batch give the same loss and gradient, bit for bit, and the sum does not depend on how rows are
/// grouped, up to rounding.
template <class M, class Examples = nn::example_batch>
concept trainable_model = has_parameters<M> && has_loss_and_gradient<M, Examples>;

}  // namespace lacuna::train
