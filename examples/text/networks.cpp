#include "networks.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <utility>

#include "../common/fingerprint.hpp"
#include "alphabet.hpp"
#include "lacuna/core/errors.hpp"
#include "lacuna/io/safetensors.hpp"
#include "lacuna/nn/hybrid_metadata.hpp"
#include "lacuna/nn/metadata.hpp"
#include "lacuna/train/weights_file.hpp"

namespace text {

namespace {

std::string fingerprint_of(std::span<const float> weights) {
  common::fingerprint f;
  for (const float w : weights) f.add(std::bit_cast<std::uint32_t>(w));
  return f.text();
}

/// Whatever `read` makes of the file's metadata; a refusal names the file.
template <class Read>
auto config_of(const lacuna::io::safetensors_file& file, const Read& read) {
  try {
    return read(file.metadata());
  } catch (const lacuna::invalid_argument& e) {
    throw lacuna::file_error(file.path() + ": " + e.what());
  }
}

void expect_symbols(const std::string& path, const lacuna::nn::transformer_config& c) {
  if (c.vocabulary != vocabulary_size || c.mask_token != mask)
    throw lacuna::file_error(path + ": a network of " + std::to_string(c.vocabulary) + " tokens and mask " +
                             std::to_string(c.mask_token) + ", expected " + std::to_string(vocabulary_size) + " and " +
                             std::to_string(mask));
}

}  // namespace

networks load_networks(const network_files& files, std::size_t threads) {
  networks all;
  if (!files.masked.empty()) {
    const lacuna::io::safetensors_file file{files.masked};
    const auto config = config_of(file, [](const auto& metadata) { return lacuna::nn::from_metadata(metadata); });
    expect_symbols(files.masked, config);
    lacuna::train::expect_size(file, config);
    all.masked = std::make_shared<lacuna::nn::transformer>(config, 0, threads);
    lacuna::train::load_weights(file, all.masked->parameters());
    all.fingerprints += "masked " + fingerprint_of(all.masked->parameters().values()) + " ";
  }
  if (!files.hybrid.empty()) {
    const lacuna::io::safetensors_file file{files.hybrid};
    const auto config = config_of(file, [](const auto& metadata) { return lacuna::nn::hybrid_from_metadata(metadata); });
    expect_symbols(files.hybrid, config.trunk);
    lacuna::train::expect_size(file, config);
    all.hybrid = std::make_shared<lacuna::nn::hybrid_transformer>(config, 0, threads);
    lacuna::train::load_weights(file, all.hybrid->parameters());
    all.fingerprints += "hybrid " + fingerprint_of(all.hybrid->parameters().values()) + " ";
  }
  return all;
}

}  // namespace text
