/// @file
/// @brief Small configurations that between them use every option, and random batches for them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "lacuna/core/scatter.hpp"
#include "lacuna/core/token.hpp"
#include "lacuna/nn/config.hpp"
#include "lacuna/nn/example_batch.hpp"

namespace small_networks {

namespace nn = lacuna::nn;
using lacuna::token;

struct named_config {
  std::string name;
  nn::transformer_config config;
};

inline nn::transformer_config plain() {
  nn::transformer_config c;
  c.vocabulary = 7;
  c.max_length = 21;
  c.width = 24;
  c.depth = 2;
  c.heads = 3;
  c.feed_forward = 40;
  return c;
}

inline nn::transformer_config with_relation() {
  nn::transformer_config c = plain();
  nn::position_relation relation;
  relation.count = 3;
  for (std::uint32_t q = 0; q < c.max_length; ++q)
    for (std::uint32_t k = 0; k < c.max_length; ++k) relation.ids.push_back(q == k ? 2U : (q / 3 == k / 3 ? 1U : 0U));
  relation.initial = {0.5F, 0.0F, -0.25F, 1.0F, 2.0F, 0.0F, 0.0F, 0.0F, 3.0F};
  c.relation = relation;
  nn::position_feature thirds{"third", {}, 7};
  nn::position_feature parity{"parity", {}, 2};
  for (std::uint32_t l = 0; l < c.max_length; ++l) {
    thirds.ids.push_back(l / 3);
    parity.ids.push_back(l % 2);
  }
  c.features = {thirds, parity};
  return c;
}

/// Every value of every option at least once, with widths that fill a packet and widths that do not.
inline std::vector<named_config> all() {
  std::vector<named_config> out;
  out.push_back({"GELU, layer norm, no positions, tied", plain()});
  out.push_back({"features and relation", with_relation()});
  nn::transformer_config c = plain();
  c.positions = nn::positions::learned;
  c.head = nn::head_kind::own;
  out.push_back({"learned positions, own head", c});
  c = plain();
  c.positions = nn::positions::rotary;
  c.norm = nn::norm_kind::rms;
  c.activation = nn::activation::swiglu;
  out.push_back({"rotary, RMS norm, SwiGLU", c});
  c = with_relation();
  c.width = 64;
  c.heads = 2;
  c.relation->initial.clear();
  c.feed_forward = 128;
  c.activation = nn::activation::swiglu;
  c.head = nn::head_kind::own;
  out.push_back({"whole packets", c});
  c = plain();
  c.activation = nn::activation::gelu_erf;
  out.push_back({"GELU with erf", c});
  c = with_relation();
  c.depth = 5;
  c.distinct_blocks = 2;
  out.push_back({"shared blocks", c});
  c = plain();
  c.width = 6;
  c.heads = 1;
  c.feed_forward = 5;
  c.depth = 1;
  out.push_back({"tiny", c});
  return out;
}

/// Owns what an example_batch views.
struct owned_batch {
  std::vector<token> inputs, targets;
  std::vector<float> weights;
  std::vector<std::size_t> offsets;
  [[nodiscard]] nn::example_batch view() const { return {inputs, targets, weights, offsets}; }
};

/// Rows of the given lengths with random tokens; about half the positions have a weight.
inline owned_batch random_batch(const nn::transformer_config& c, const std::vector<std::size_t>& lengths, std::uint64_t seed) {
  owned_batch b;
  b.offsets.push_back(0);
  std::uint64_t counter = lacuna::scatter(seed);
  const auto next = [&](std::uint64_t n) { return lacuna::scatter(counter++) % n; };
  for (const std::size_t length : lengths) {
    for (std::size_t l = 0; l < length; ++l) {
      b.inputs.push_back(static_cast<token>(next(c.vocabulary)));
      b.targets.push_back(static_cast<token>(next(c.vocabulary)));
      b.weights.push_back(next(2) == 0 ? 0.0F : 0.25F * static_cast<float>(1 + next(8)));
    }
    b.offsets.push_back(b.inputs.size());
  }
  return b;
}

}  // namespace small_networks
