/// @file
/// @brief Small hybrid transformers that between them use every option, and random batches for them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "lacuna/core/random.hpp"
#include "lacuna/core/token.hpp"
#include "lacuna/nn/hybrid_config.hpp"
#include "lacuna/nn/hybrid_examples.hpp"
#include "lacuna/nn/hybrid_layout.hpp"
#include "lacuna/nn/initial.hpp"
#include "lacuna/nn/parameters.hpp"
#include "small_networks.hpp"

namespace small_hybrids {

namespace nn = lacuna::nn;
using lacuna::token;

struct named_config {
  std::string name;
  nn::hybrid_config config;
};

inline nn::hybrid_config rotary() {
  nn::hybrid_config c;
  c.trunk = small_networks::plain();
  c.trunk.positions = nn::positions::rotary;
  return c;
}
inline nn::hybrid_config learned() {
  nn::hybrid_config c;
  c.trunk = small_networks::plain();
  c.trunk.positions = nn::positions::learned;
  c.causal_depth = 2;
  return c;
}

inline std::vector<named_config> all() {
  std::vector<named_config> out;
  out.push_back({"rotary", rotary()});
  out.push_back({"learned positions, two causal blocks", learned()});
  nn::hybrid_config c = rotary();
  c.causal_depth = 2;
  c.residual = nn::output_residual::off;
  c.trunk.norm = nn::norm_kind::rms;
  c.trunk.activation = nn::activation::swiglu;
  out.push_back({"rotary, two causal blocks, no residual, RMS norm, SwiGLU", c});
  c = learned();
  c.causal_depth = 1;
  c.residual = nn::output_residual::off;
  c.trunk.head = nn::head_kind::own;
  c.trunk.width = 64;
  c.trunk.heads = 2;
  c.trunk.feed_forward = 128;
  out.push_back({"learned positions, no residual, own head, whole packets", c});
  c.trunk = small_networks::with_relation();
  c.trunk.depth = 3;
  c.trunk.distinct_blocks = 1;
  c.residual = nn::output_residual::on;
  out.push_back({"relation, features, shared blocks", c});
  return out;
}

/// Parameters away from their regular start, so that everything matters.
inline nn::parameters shaken(const nn::hybrid_config& c, std::uint64_t seed) {
  nn::parameters p;
  nn::initialise(p, nn::hybrid_layout::add_to(p, c), c, seed);
  std::vector<float> noise(p.values().size());
  nn::fill_normal(noise, 0.1, seed, 1000);
  for (std::size_t i = 0; i < noise.size(); ++i) p.values()[i] += noise[i];
  return p;
}

inline std::vector<std::size_t> random_order(std::size_t length, lacuna::random_stream& random) {
  std::vector<std::size_t> order(length);
  std::iota(order.begin(), order.end(), std::size_t{0});
  random.shuffle(std::span{order});
  return order;
}

/// Owns what hybrid_examples view.
struct owned_examples {
  std::vector<token> tokens;
  std::vector<std::size_t> orders, revealed, offsets;
  [[nodiscard]] nn::hybrid_examples view() const { return {tokens, orders, revealed, offsets}; }
};

/// Rows of the given lengths with random tokens in random orders; (length, revealed) each.
inline owned_examples random_examples(const nn::hybrid_config& c, const std::vector<std::pair<std::size_t, std::size_t>>& rows,
                                      std::uint64_t seed) {
  lacuna::random_stream random{seed, lacuna::stream_use::other};
  owned_examples e;
  e.offsets.push_back(0);
  for (const auto& [length, revealed] : rows) {
    for (std::size_t l = 0; l < length; ++l) e.tokens.push_back(static_cast<token>(random.below(c.trunk.vocabulary)));
    const std::vector<std::size_t> order = random_order(length, random);
    e.orders.insert(e.orders.end(), order.begin(), order.end());
    e.revealed.push_back(revealed);
    e.offsets.push_back(e.tokens.size());
  }
  return e;
}

}  // namespace small_hybrids
