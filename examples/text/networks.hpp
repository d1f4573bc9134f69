/// @file
/// @brief The networks that write: a masked one and a hybrid one.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "lacuna/nn/hybrid_transformer.hpp"
#include "lacuna/nn/transformer.hpp"

namespace text {

/// Those that are there.
struct networks {
  std::shared_ptr<lacuna::nn::transformer> masked;
  std::shared_ptr<lacuna::nn::hybrid_transformer> hybrid;
  std::string fingerprints;  ///< stand for the weights of both
};

/// Where their weights are; an empty path is that of none.
struct network_files {
  std::string masked;
  std::string hybrid;
};

/// Throws lacuna::file_error for a file that is missing, broken, or of a network that does not read these symbols.
networks load_networks(const network_files& files, std::size_t threads);

}  // namespace text
