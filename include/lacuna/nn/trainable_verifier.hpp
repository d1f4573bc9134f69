/// @file
/// @brief Causal blocks on a trained transformer that stays as it is, as a model that train::run trains: only their parameters
/// are trained, saved and loaded.
///
/// ```cpp
/// nn::hybrid_config config{trained.config()};
/// nn::trainable_verifier net{config, trained.parameters(), 42};               // seed
/// const auto state = train::run(net, source, options);                        // a train::hybrid_rows, as for the whole
/// network train::save_weights("verifier.safetensors", net.parameters(), state.average.values, nn::to_metadata(config));
///
/// nn::parameters verifier;                                                    // later
/// nn::verify_layout::add_to(verifier, config);
/// train::load_weights("verifier.safetensors", verifier);
/// nn::hybrid_transformer hybrid{config, nn::join_parameters(config, trained.parameters(), verifier)};
/// ```
/// Choose it over nn::trainable_hybrid where the drafts are to stay those of a given network. A step costs a forward pass of
/// the trunk and three of the causal blocks. Errors: invalid_argument for parameters or examples that do not fit.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "lacuna/core/errors.hpp"
#include "lacuna/nn/hybrid_config.hpp"
#include "lacuna/nn/hybrid_examples.hpp"
#include "lacuna/nn/hybrid_layout.hpp"
#include "lacuna/nn/hybrid_training_pass.hpp"
#include "lacuna/nn/parameters.hpp"

namespace lacuna::nn {

class trainable_verifier {
 public:
  /// A causal part with random parameters; `trunk` are those of a transformer of the shape config.trunk, and are copied.
  trainable_verifier(hybrid_config config, const nn::parameters& trunk, std::uint64_t seed, std::size_t threads = 1)
      : trainable_verifier{config, trunk, initial_verify_parameters(config, seed), threads} {}
  /// A causal part with loaded parameters.
  trainable_verifier(hybrid_config config, const nn::parameters& trunk, nn::parameters verifier, std::size_t threads = 1)
      : config_{std::move(config)},
        pass_{config_, threads, trained_part::verifier},
        whole_{join_parameters(config_, trunk, verifier)},
        parameters_{std::move(verifier)},
        trunk_size_{whole_.values().size() - parameters_.values().size()} {}

  [[nodiscard]] const hybrid_config& config() const { return config_; }
  /// Those of the causal part.
  [[nodiscard]] nn::parameters& parameters() { return parameters_; }
  [[nodiscard]] const nn::parameters& parameters() const { return parameters_; }

  /// The sum over rows of the target loss (nn/hybrid_examples.hpp); its gradient is added. The draft's is what it is.
  double loss_and_gradient(const hybrid_examples& examples, std::span<float> gradient) {
    if (gradient.size() != parameters_.values().size())
      throw invalid_argument("trainable_verifier: got " + std::to_string(gradient.size()) +
                             " places for the gradient, expected " + std::to_string(parameters_.values().size()));
    put_together();
    whole_gradient_.resize(whole_.values().size());
    const std::span<float> mine = std::span{whole_gradient_}.subspan(trunk_size_);
    std::fill(mine.begin(), mine.end(), 0.0F);
    const hybrid_loss loss = pass_(whole_, examples, whole_gradient_);
    std::transform(gradient.begin(), gradient.end(), mine.begin(), gradient.begin(), std::plus<>{});
    last_ = per_token(loss, examples);
    return loss.target;
  }
  /// Draft and target loss of the last call of loss_and_gradient, in nats per token.
  [[nodiscard]] hybrid_loss last_loss() const { return last_; }

  /// Draft and target loss in nats per token, to validate with.
  hybrid_loss loss(const hybrid_examples& examples) {
    put_together();
    return per_token(pass_(whole_, examples, {}), examples);
  }

 private:
  void put_together() {
    std::copy(parameters_.values().begin(), parameters_.values().end(),
              whole_.values().begin() + static_cast<std::ptrdiff_t>(trunk_size_));
  }

  hybrid_config config_;
  hybrid_training_pass pass_;
  nn::parameters whole_;
  nn::parameters parameters_;
  std::size_t trunk_size_;
  std::vector<float> whole_gradient_;
  hybrid_loss last_;
};

}  // namespace lacuna::nn
