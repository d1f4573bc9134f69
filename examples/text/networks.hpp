/// @file
/// @brief The networks that write: a masked one, a hybrid one, and the masked one with a causal part of its own.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "data_folder.hpp"
#include "lacuna/nn/hybrid_transformer.hpp"
#include "lacuna/nn/transformer.hpp"

namespace text {

/// Those that are there.
struct networks {
  std::shared_ptr<lacuna::nn::transformer> masked;
  std::shared_ptr<lacuna::nn::hybrid_transformer> hybrid;  ///< trained as one
  std::shared_ptr<lacuna::nn::hybrid_transformer> causal;  ///< the masked one, as it is, verified by causal blocks
  std::map<std::string, std::string> fingerprints;         ///< what stands for the weights of masked, hybrid, causal

  /// The one that `on` names, hybrid or causal.
  [[nodiscard]] lacuna::nn::hybrid_transformer& verifying(const std::string& on) const {
    return on == "causal" ? *causal : *hybrid;
  }
  /// Symbols that all of them take.
  [[nodiscard]] std::size_t max_length() const;
};

/// Where their weights are: by default those that ship.
struct network_files {
  std::string masked = data_folder() + "/masked.safetensors";
  std::string hybrid = data_folder() + "/hybrid.safetensors";
  std::string causal = data_folder() + "/causal.safetensors";  ///< the causal part alone
};

/// Those with these names: masked, hybrid, causal. Throws lacuna::file_error for a file that is missing, broken, of a network
/// that does not read these symbols, or of a causal part that was trained on another masked network.
networks load_networks(const network_files& files, const std::set<std::string>& wanted, std::size_t threads);

/// Stands for the weights of a network.
std::string fingerprint_of(const lacuna::nn::parameters& parameters);

/// The masked network of a file. Throws lacuna::file_error.
std::shared_ptr<lacuna::nn::transformer> load_masked(const std::string& path, std::size_t threads);

}  // namespace text
