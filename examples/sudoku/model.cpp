#include "model.hpp"

#include <bit>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "../common/fingerprint.hpp"
#include "lacuna/core/errors.hpp"
#include "lacuna/io/safetensors.hpp"
#include "lacuna/nn/metadata.hpp"
#include "lacuna/nn/transformer.hpp"
#include "lacuna/train/weights_file.hpp"

namespace sudoku {

using namespace common;
namespace {

/// Of the bits of the weights.
std::string fingerprint_of(std::span<const float> weights) {
  fingerprint f;
  for (const float w : weights) f.add(std::bit_cast<std::uint32_t>(w));
  return f.text();
}

}  // namespace

model load_model(const std::string& weights, std::size_t threads) {
  const lacuna::io::safetensors_file file{weights};
  lacuna::nn::transformer_config config;
  try {
    config = lacuna::nn::from_metadata(file.metadata());
  } catch (const lacuna::invalid_argument& e) {
    throw lacuna::file_error(weights + ": " + e.what());
  }
  if (config.vocabulary != vocabulary_size || config.max_length != cell_count || config.mask_token != blank)
    throw lacuna::file_error(weights + ": a network of " + std::to_string(config.vocabulary) + " tokens, length " +
                             std::to_string(config.max_length) + ", mask " + std::to_string(config.mask_token) +
                             ", expected 10 tokens, length 81, mask 0");
  lacuna::train::expect_size(file, config);
  const auto net = std::make_shared<lacuna::nn::transformer>(config, 0, threads);
  lacuna::train::load_weights(file, net->parameters());
  return model{[net](const lacuna::token_batch& batch, std::span<const std::size_t> wanted, lacuna::row_sink sink) {
                 (*net)(batch, wanted, sink);
               },
               net->parameters().values().size(), net->hidden_size(),
               [net](const lacuna::token_batch& batch, std::span<const std::size_t> wanted, lacuna::row_sink logits,
                     lacuna::row_sink hidden) { net->with_hidden(batch, wanted, logits, hidden); },
               fingerprint_of(net->parameters().values())};
}

}  // namespace sudoku
