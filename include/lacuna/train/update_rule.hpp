/// @file
/// @brief One training step: gradient, clipping, AdamW, moving average.
///
/// `init` makes the state, `step` advances it: write your own loop around them, or use `train::run` (train/trainer.hpp).
/// Cost: the model's `loss_and_gradient` and about four passes over the parameters.
/// Errors: `model_error` when the loss or the gradient is not finite; weights and state are then as before the step.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>

#include "lacuna/core/errors.hpp"
#include "lacuna/train/adamw.hpp"
#include "lacuna/train/clip.hpp"
#include "lacuna/train/moving_average.hpp"
#include "lacuna/train/trainable_model.hpp"
#include "lacuna/train/training_batch.hpp"
#include "lacuna/train/training_state.hpp"

namespace lacuna::train {

/// What one step found.
struct update_info {
  double loss = 0;           ///< nats per unit of the batch, before the update
  double gradient_norm = 0;  ///< of that loss, before clipping
};

/// How weights follow gradients.
struct update_rule {
  adamw optimizer{};
  double clip = 1;  ///< largest gradient norm; infinity: none
  moving_average average{};

  [[nodiscard]] training_state init(const nn::parameters& parameters, std::uint64_t seed) const {
    training_state state;
    state.seed = seed;
    state.optimizer = optimizer.init(parameters);
    state.average = average.init(parameters.values());
    return state;
  }

  template <training_batch Batch, trainable_model<examples_of<Batch>> Model>
  update_info step(Model& model, const Batch& batch, training_state& state, double rate) const {
    if (batch.rows() == 0 || !(batch.units() > 0)) {
      throw invalid_argument{"training step " + std::to_string(state.step) + ": " + std::to_string(batch.rows()) +
                             " rows with " + std::to_string(batch.units()) + " units, expected some of both"};
    }
    nn::parameters& parameters = model.parameters();
    state.gradient.assign(parameters.values().size(), 0.0F);
    const double scale = 1 / batch.units();
    update_info info;
    info.loss = model.loss_and_gradient(batch.view(), state.gradient) * scale;
    info.gradient_norm = global_norm(state.gradient) * scale;
    if (!std::isfinite(info.loss) || !std::isfinite(info.gradient_norm)) {
      throw model_error{"training step " + std::to_string(state.step) + ": loss " + std::to_string(info.loss) +
                        ", gradient norm " + std::to_string(info.gradient_norm) +
                        ", expected finite numbers; the weights are those before it"};
    }
    optimizer.step(parameters, state.gradient, state.optimizer, rate, scale * clip_factor(info.gradient_norm, clip));
    average.update(parameters.values(), state.average);
    state.loss.add(info.loss);
    state.rows += batch.rows();
    ++state.step;
    return info;
  }
};

}  // namespace lacuna::train
