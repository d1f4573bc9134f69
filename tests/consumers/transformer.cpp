// A project that decodes with the transformer and reads its weights: needs Eigen, nlohmann-json and threads too.
#include "lacuna/io/safetensors.hpp"
#include "lacuna/lacuna.hpp"
#include "lacuna/nn.hpp"

#include <cstdio>

int main() {
  lacuna::nn::transformer_config config;
  config.vocabulary = 5;
  config.max_length = 6;
  config.width = 8;
  config.depth = 1;
  config.heads = 2;
  config.feed_forward = 16;
  config.mask_token = 4;
  lacuna::nn::transformer model{config, 1, 2};
  const auto sampler = lacuna::compose(lacuna::order::left_to_right{}, lacuna::draw::argmax{});
  const auto result = lacuna::decode(model, lacuna::canvas::blank(6), sampler, 1);
  std::printf("%zu tokens in %zu passes\n", result.tokens.size(), result.cost.calls());
  try {
    lacuna::io::safetensors_file{"there is no such file"};
  } catch (const lacuna::file_error& e) {
    std::printf("%s\n", e.what());
    return result.cost.calls() == 6 ? 0 : 1;
  }
  return 1;
}
