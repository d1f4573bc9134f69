#include "networks.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <utility>

#include "../common/fingerprint.hpp"
#include "alphabet.hpp"
#include "lacuna/core/errors.hpp"
#include "lacuna/io/safetensors.hpp"
#include "lacuna/nn/hybrid_layout.hpp"
#include "lacuna/nn/hybrid_metadata.hpp"
#include "lacuna/nn/metadata.hpp"
#include "lacuna/train/weights_file.hpp"

namespace text {

namespace {

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

std::shared_ptr<lacuna::nn::hybrid_transformer> load_hybrid(const std::string& path, std::size_t threads) {
  const lacuna::io::safetensors_file file{path};
  const auto config = config_of(file, [](const auto& metadata) { return lacuna::nn::hybrid_from_metadata(metadata); });
  expect_symbols(path, config.trunk);
  lacuna::train::expect_size(file, config);
  auto net = std::make_shared<lacuna::nn::hybrid_transformer>(config, 0, threads);
  lacuna::train::load_weights(file, net->parameters());
  return net;
}

/// The trunk with the causal part of a file.
std::shared_ptr<lacuna::nn::hybrid_transformer> load_causal(const std::string& path, const lacuna::nn::transformer& trunk,
                                                            std::size_t threads) {
  const lacuna::io::safetensors_file file{path};
  const auto config = config_of(file, [](const auto& metadata) { return lacuna::nn::hybrid_from_metadata(metadata); });
  const auto of = file.metadata().find("text.trunk");
  if (of == file.metadata().end()) throw lacuna::file_error(path + ": no causal part that was trained on a masked network");
  if (const std::string is = fingerprint_of(trunk.parameters()); of->second != is || config.trunk != trunk.config())
    throw lacuna::file_error(path + ": trained on the masked network " + of->second + ", this one is " + is);
  lacuna::nn::parameters verifier;
  lacuna::nn::verify_layout::add_to(verifier, config);
  lacuna::train::load_weights(file, verifier);
  return std::make_shared<lacuna::nn::hybrid_transformer>(
      config, lacuna::nn::join_parameters(config, trunk.parameters(), verifier), threads);
}

}  // namespace

std::string fingerprint_of(const lacuna::nn::parameters& parameters) {
  common::fingerprint f;
  for (const float w : parameters.values()) f.add(std::bit_cast<std::uint32_t>(w));
  return f.text();
}

std::shared_ptr<lacuna::nn::transformer> load_masked(const std::string& path, std::size_t threads) {
  const lacuna::io::safetensors_file file{path};
  const auto config = config_of(file, [](const auto& metadata) { return lacuna::nn::from_metadata(metadata); });
  expect_symbols(path, config);
  lacuna::train::expect_size(file, config);
  auto net = std::make_shared<lacuna::nn::transformer>(config, 0, threads);
  lacuna::train::load_weights(file, net->parameters());
  return net;
}

std::size_t networks::max_length() const {
  std::size_t length = std::numeric_limits<std::size_t>::max();
  if (masked) length = std::min(length, masked->max_length());
  if (hybrid) length = std::min(length, hybrid->max_length());
  return length;
}

networks load_networks(const network_files& files, const std::set<std::string>& wanted, std::size_t threads) {
  networks all;
  const auto note = [&](const char* name, const auto& net) { all.fingerprints[name] = fingerprint_of(net->parameters()); };
  if (wanted.contains("masked") || wanted.contains("causal")) note("masked", all.masked = load_masked(files.masked, threads));
  if (wanted.contains("hybrid")) note("hybrid", all.hybrid = load_hybrid(files.hybrid, threads));
  if (wanted.contains("causal")) note("causal", all.causal = load_causal(files.causal, *all.masked, threads));
  return all;
}

}  // namespace text
