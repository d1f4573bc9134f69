#include "network.hpp"

#include <bit>
#include <cstdint>

#include "../common/fingerprint.hpp"
#include "lacuna/core/errors.hpp"
#include "lacuna/io/safetensors.hpp"
#include "lacuna/nn/metadata.hpp"
#include "lacuna/nn/order_metadata.hpp"
#include "lacuna/train/joined_parameters.hpp"
#include "lacuna/train/weights_file.hpp"
#include "rows.hpp"

namespace arithmetic {

lacuna::nn::transformer_config network_config(const network_size& size) {
  const tokeniser words;
  lacuna::nn::transformer_config c;
  c.vocabulary = words.vocabulary_size();
  c.max_length = row_length;
  c.width = size.width;
  c.depth = size.depth;
  c.heads = size.heads;
  c.feed_forward = 4 * size.width;
  c.positions = lacuna::nn::positions::rotary;
  c.head = lacuna::nn::head_kind::own;
  c.mask_token = words.mask();
  return c;
}

namespace {

/// Whatever `read` makes of the file; a refusal names the file.
template <class Read>
auto from_file(const lacuna::io::safetensors_file& file, const Read& read) {
  try {
    return read(file.metadata());
  } catch (const lacuna::invalid_argument& e) {
    throw lacuna::file_error(file.path() + ": " + e.what());
  }
}

lacuna::nn::transformer_config config_of(const lacuna::io::safetensors_file& file) {
  const auto c = from_file(file, [](const auto& metadata) { return lacuna::nn::from_metadata(metadata); });
  const tokeniser words;
  if (c.vocabulary != words.vocabulary_size() || c.mask_token != words.mask() || c.max_length < row_length)
    throw lacuna::file_error(file.path() + ": a network of " + std::to_string(c.vocabulary) + " tokens and length " +
                             std::to_string(c.max_length) + ", expected " + std::to_string(words.vocabulary_size()) + " and " +
                             std::to_string(row_length));
  return c;
}

}  // namespace

std::unique_ptr<lacuna::nn::transformer> load_network(const std::string& path, std::size_t threads) {
  const lacuna::io::safetensors_file file{path};
  const auto config = config_of(file);
  lacuna::train::expect_size(file, config);
  auto net = std::make_unique<lacuna::nn::transformer>(config, 0, threads);
  lacuna::train::load_weights(file, net->parameters());
  return net;
}

learned_order load_order(const std::string& path, std::size_t threads) {
  const lacuna::io::safetensors_file file{path};
  const auto& metadata = file.metadata();
  learned_order found;
  found.head = std::make_shared<lacuna::nn::order_head>(
      from_file(file, [](const auto& m) { return lacuna::nn::order_head_from_metadata(m); }), 0);
  const auto of = metadata.find("arithmetic.base");
  const bool along = of == metadata.end();
  if (!along) found.of = of->second;
  lacuna::train::joined_parameters joined;
  joined.add("", found.head->parameters());
  if (along) {
    found.trunk = std::make_shared<lacuna::nn::transformer>(config_of(file), 0, threads);
    joined.add("trunk.", found.trunk->parameters());
  }
  lacuna::train::load_weights(file, joined.parameters());
  joined.hand_out();
  return found;
}

std::string fingerprint_of(const lacuna::nn::parameters& parameters) {
  common::fingerprint f;
  for (const float w : parameters.values()) f.add(std::bit_cast<std::uint32_t>(w));
  return f.text();
}

}  // namespace arithmetic
