#include "model.hpp"

#include "lacuna/core/errors.hpp"
#include "lacuna/io/safetensors.hpp"
#include "lacuna/nn/metadata.hpp"
#include "lacuna/nn/transformer.hpp"
#include "lacuna/train/weights_file.hpp"

namespace sudoku {

struct model::network {
  lacuna::nn::transformer net;
};

model::model(const std::string& weights, std::size_t threads) {
  const lacuna::io::safetensors_file file{weights};
  lacuna::nn::transformer_config config;
  try {
    config = lacuna::nn::from_metadata(file.metadata());
  } catch (const lacuna::invalid_argument& e) {
    throw lacuna::file_error(weights + ": " + e.what());
  }
  if (config.vocabulary != sudoku::vocabulary_size || config.max_length != cell_count || config.mask_token != blank)
    throw lacuna::file_error(weights + ": a network of " + std::to_string(config.vocabulary) + " tokens, length " +
                             std::to_string(config.max_length) + ", mask " + std::to_string(config.mask_token) +
                             ", expected 10 tokens, length 81, mask 0");
  network_ = std::make_unique<network>(network{lacuna::nn::transformer(config, 0, threads)});
  lacuna::train::load_weights(file, network_->net.parameters());
}

model::model(model&&) noexcept = default;
model::~model() = default;

void model::operator()(const lacuna::token_batch& batch, std::span<const std::size_t> wanted, lacuna::row_sink sink) {
  network_->net(batch, wanted, sink);
}

std::size_t model::parameter_count() const { return network_->net.parameters().values().size(); }

}  // namespace sudoku
