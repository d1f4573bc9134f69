/// @file
/// @brief What several tests of the text example need: tiny networks in files, and the program as a function.
#pragma once

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "../../../examples/text/command.hpp"
#include "../../../examples/text/network.hpp"
#include "../../../examples/text/networks.hpp"
#include "../../io/scratch_file.hpp"
#include "lacuna/nn/hybrid_metadata.hpp"
#include "lacuna/nn/hybrid_transformer.hpp"
#include "lacuna/nn/metadata.hpp"
#include "lacuna/nn/transformer.hpp"
#include "lacuna/train/weights_file.hpp"

namespace text_test {

struct ran {
  int code;
  std::string out, err;
};

/// The program with these arguments.
inline ran run(const std::vector<std::string>& arguments, const std::string& input = {}) {
  std::vector<const char*> all{"text"};
  for (const std::string& a : arguments) all.push_back(a.c_str());
  std::istringstream in{input};
  std::ostringstream out, err;
  const int code = text::run_command(static_cast<int>(all.size()), all.data(), {in, out, err});
  return {code, out.str(), err.str()};
}

inline constexpr text::network_size tiny{12, 8, 1, 2, lacuna::nn::positions::rotary};

/// Networks that have learned nothing, and a list of words.
struct files {
  lacuna_test::scratch_file place{"weights"};
  std::string masked = (place.folder() / "masked.safetensors").string();
  std::string hybrid = (place.folder() / "hybrid.safetensors").string();
  std::string causal = (place.folder() / "causal.safetensors").string();
  std::string words = (place.folder() / "words.txt").string();

  files() {
    const lacuna::nn::transformer_config config = text::network_config(tiny);
    const lacuna::nn::transformer plain{config, 1};
    lacuna::train::save_weights(masked, plain.parameters(), plain.parameters().values(), lacuna::nn::to_metadata(config));
    lacuna::nn::hybrid_config both;
    both.trunk = config;
    const lacuna::nn::hybrid_transformer net{both, 1};
    lacuna::train::save_weights(hybrid, net.parameters(), net.parameters().values(), lacuna::nn::to_metadata(both));
    lacuna::nn::parameters verifier = lacuna::nn::initial_verify_parameters(both, 1);
    auto metadata = lacuna::nn::to_metadata(both);
    metadata["text.trunk"] = text::fingerprint_of(plain.parameters());
    lacuna::train::save_weights(causal, verifier, verifier.values(), metadata);
    std::ofstream list(words);
    for (char a = 'a'; a <= 'z'; ++a) list << a << '\n';
  }
};

}  // namespace text_test
