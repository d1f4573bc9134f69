/// @file
/// @brief A hybrid transformer as a model that train::run trains: drafts and targets from one pass, weighed the same.
///
/// ```cpp
/// nn::trainable_hybrid net{config, 42, 2};                             // seed, threads
/// train::hybrid_rows source{text_rows, 32};                            // fills a train::hybrid_batch
/// const auto state = train::run(net, source, options, [&](const train::step_report& r, const train::training_state&) {
///   net.last_loss().draft, net.last_loss().target;                     // of this batch, nats per token
/// });
/// train::save_weights("hybrid.safetensors", net.parameters(), state.average.values, nn::to_metadata(config));
/// ```
/// Errors: invalid_argument for examples that do not fit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "lacuna/core/errors.hpp"
#include "lacuna/nn/hybrid_config.hpp"
#include "lacuna/nn/hybrid_examples.hpp"
#include "lacuna/nn/hybrid_layout.hpp"
#include "lacuna/nn/hybrid_training_pass.hpp"
#include "lacuna/nn/parameters.hpp"

namespace lacuna::nn {

class trainable_hybrid {
 public:
  /// Random parameters: the same for the same seed everywhere.
  trainable_hybrid(hybrid_config config, std::uint64_t seed, std::size_t threads = 1)
      : config_{std::move(config)}, pass_{config_, threads} {
    initialise(parameters_, hybrid_layout::add_to(parameters_, config_), config_, seed);
  }
  /// Loaded parameters, with the names and shapes of nn/hybrid_layout.hpp.
  trainable_hybrid(hybrid_config config, nn::parameters loaded, std::size_t threads = 1)
      : config_{std::move(config)}, pass_{config_, threads} {
    hybrid_layout::add_to(parameters_, config_);
    check_layout(loaded, parameters_);
    parameters_ = std::move(loaded);
  }

  [[nodiscard]] const hybrid_config& config() const { return config_; }
  [[nodiscard]] nn::parameters& parameters() { return parameters_; }
  [[nodiscard]] const nn::parameters& parameters() const { return parameters_; }

  /// The sum over rows of draft and target loss (nn/hybrid_examples.hpp); its gradient is added.
  double loss_and_gradient(const hybrid_examples& examples, std::span<float> gradient) {
    if (gradient.size() != parameters_.values().size())
      throw invalid_argument("trainable_hybrid: got " + std::to_string(gradient.size()) +
                             " places for the gradient, expected " + std::to_string(parameters_.values().size()));
    const hybrid_loss loss = pass_(parameters_, examples, gradient);
    last_ = per_token(loss, examples);
    return loss.sum();
  }
  /// The parts of the loss that loss_and_gradient returned last, in nats per token.
  [[nodiscard]] hybrid_loss last_loss() const { return last_; }

  /// The parts of the loss in nats per token, to validate with.
  hybrid_loss loss(const hybrid_examples& examples) { return per_token(pass_(parameters_, examples, {}), examples); }

 private:
  hybrid_config config_;
  nn::parameters parameters_;
  hybrid_training_pass pass_;
  hybrid_loss last_;
};

}  // namespace lacuna::nn
