/// @file
/// @brief The shape of the networks that read and write text.
#pragma once

#include <cstddef>

#include "alphabet.hpp"
#include "lacuna/nn/config.hpp"

namespace text {

/// What may differ between two networks.
struct network_size {
  std::size_t length = 128;
  std::size_t width = 128;
  std::size_t depth = 8;  ///< bidirectional blocks
  std::size_t heads = 4;
  lacuna::nn::positions positions = lacuna::nn::positions::rotary;
};

inline lacuna::nn::transformer_config network_config(const network_size& size) {
  lacuna::nn::transformer_config config;
  config.vocabulary = vocabulary_size;
  config.max_length = size.length;
  config.width = size.width;
  config.depth = size.depth;
  config.heads = size.heads;
  config.feed_forward = 4 * size.width;
  config.positions = size.positions;
  config.head = lacuna::nn::head_kind::own;
  config.mask_token = mask;
  return config;
}

}  // namespace text
