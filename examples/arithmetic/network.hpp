/// @file
/// @brief The networks that solve word problems, and their files.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>

#include "data_folder.hpp"
#include "lacuna/nn/config.hpp"
#include "lacuna/nn/order_head.hpp"
#include "lacuna/nn/transformer.hpp"

namespace arithmetic {

struct network_size {
  std::size_t width = 128;
  std::size_t depth = 4;
  std::size_t heads = 4;
};

lacuna::nn::transformer_config network_config(const network_size& size);

/// The base model of a file. Throws lacuna::file_error for a file that is missing, broken, or of a network that reads other
/// tokens.
std::unique_ptr<lacuna::nn::transformer> load_network(const std::string& path, std::size_t threads);

/// A learned order of a file, with the network it goes with: the base model, or its own if it was trained along.
struct learned_order {
  std::shared_ptr<lacuna::nn::transformer> trunk;  ///< nullptr: the base model's
  std::shared_ptr<lacuna::nn::order_head> head;
  std::string of;  ///< stands for the base model it was trained on, if that stayed as it was
};
learned_order load_order(const std::string& path, std::size_t threads);

/// Stands for a network's weights.
std::string fingerprint_of(const lacuna::nn::parameters& parameters);

}  // namespace arithmetic
