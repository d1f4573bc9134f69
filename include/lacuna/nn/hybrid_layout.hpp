/// @file
/// @brief The parameters of a hybrid transformer: those of the trunk, named and placed as in a plain transformer, then those
/// of the causal part, whose names begin with "verify.".
///
/// The causal part can also be added to parameters of its own, to be trained and saved by itself for a trunk that stays as it
/// is.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lacuna/core/scatter.hpp"
#include "lacuna/nn/config.hpp"
#include "lacuna/nn/hybrid_config.hpp"
#include "lacuna/nn/layout.hpp"
#include "lacuna/nn/parameters.hpp"

namespace lacuna::nn {

/// The causal part.
struct verify_layout {
  parameter start;                            ///< [D], the embedding of the first track, which carries no token
  parameter join_weight, join_bias;           ///< [2D, D], [D]: hidden states of the carried and of the predicted position
  std::optional<parameter> carried_position;  ///< [max_length, D]
  std::optional<parameter> next_position;     ///< [max_length, D]
  std::vector<block_layout> blocks;           ///< causal
  parameter norm_weight, norm_bias;           ///< [D]
  parameter out_weight, out_bias;             ///< [D, D], [D]

  /// Adds zero-filled tensors for `config` to `p`.
  static verify_layout add_to(parameters& p, const hybrid_config& config) {
    const transformer_config c = config.causal();
    const std::size_t d = c.width;
    verify_layout out;
    out.start = p.add("verify.start", {d}, false);
    out.join_weight = p.add("verify.join.weight", {2 * d, d}, true);
    out.join_bias = p.add("verify.join.bias", {d}, false);
    if (c.positions == positions::learned) {
      out.carried_position = p.add("verify.position.carried", {c.max_length, d}, false);
      out.next_position = p.add("verify.position.next", {c.max_length, d}, false);
    }
    for (std::size_t i = 0; i < c.depth; ++i)
      out.blocks.push_back(block_layout::add_to(p, "verify.block." + std::to_string(i) + ".", c));
    out.norm_weight = p.add("verify.norm.weight", {d}, false);
    out.norm_bias = block_layout::add_norm_bias(p, "verify.norm.bias", c);
    out.out_weight = p.add("verify.out.weight", {d, d}, true);
    out.out_bias = p.add("verify.out.bias", {d}, false);
    return out;
  }
};

/// The whole network's.
struct hybrid_layout {
  transformer_layout trunk;
  std::size_t trunk_size = 0;  ///< number of the trunk's parameters: where those of the causal part begin
  verify_layout verify;

  /// Adds zero-filled tensors for `config` to `p`, which must be empty.
  static hybrid_layout add_to(parameters& p, const hybrid_config& config) {
    hybrid_layout out;
    out.trunk = transformer_layout::add_to(p, config.trunk);
    out.trunk_size = p.values().size();
    out.verify = verify_layout::add_to(p, config);
    return out;
  }
};

/// Number of parameters of the causal part, without making any. A double, so that nothing overflows.
inline double verify_parameter_count(const hybrid_config& config) {
  const transformer_config c = config.causal();
  const auto d = static_cast<double>(c.width);
  double count = d + 2 * d * d + d + norm_parameter_count(c) + d * d + d;
  if (c.positions == positions::learned) count += 2 * static_cast<double>(c.max_length) * d;
  return count + static_cast<double>(c.depth) * block_parameter_count(c);
}

/// Number of parameters of the whole network.
inline double parameter_count(const hybrid_config& c) { return parameter_count(c.trunk) + verify_parameter_count(c); }

/// The causal part by itself with starting values. With the output residual the last projection is zero, so that the target is
/// the draft bit for bit. Hidden states, which are of size 1 after the trunk's last norm, come in as large as the embeddings
/// they are added to: the deviation of `join` is 1 / (sqrt 2 D).
inline parameters initial_verify_parameters(const hybrid_config& config, std::uint64_t seed) {
  parameters p;
  const verify_layout v = verify_layout::add_to(p, config);
  initialiser start{p, seed};
  const auto d = static_cast<double>(config.trunk.width);
  start.normal(v.start, 1.0 / std::sqrt(d));
  start.normal(v.join_weight, std::sqrt(0.5) / d);
  if (v.carried_position) start.normal(*v.carried_position, 1.0 / std::sqrt(d));
  if (v.next_position) start.normal(*v.next_position, 1.0 / std::sqrt(d));
  for (const block_layout& b : v.blocks) start.block(b, config.causal_depth);
  start.ones(v.norm_weight);
  if (config.residual == output_residual::off) start.matrix(v.out_weight);
  return p;
}

/// Starting values of the whole network: those of the trunk are a plain transformer's with the same seed.
inline void initialise(parameters& p, const hybrid_layout& layout, const hybrid_config& config, std::uint64_t seed) {
  initialise(p, layout.trunk, config.trunk, seed);
  const parameters verify = initial_verify_parameters(config, scatter(seed + 1));
  std::copy(verify.values().begin(), verify.values().end(),
            p.values().begin() + static_cast<std::ptrdiff_t>(layout.trunk_size));
}

/// The whole network's parameters from those of a plain transformer with the trunk's shape and those of a causal part. Throws
/// invalid_argument naming the first that does not fit.
inline parameters join_parameters(const hybrid_config& config, const parameters& trunk, const parameters& verify) {
  parameters of_trunk, of_verify, whole;
  transformer_layout::add_to(of_trunk, config.trunk);
  check_layout(trunk, of_trunk);
  verify_layout::add_to(of_verify, config);
  check_layout(verify, of_verify);
  const hybrid_layout layout = hybrid_layout::add_to(whole, config);
  std::copy(trunk.values().begin(), trunk.values().end(), whole.values().begin());
  std::copy(verify.values().begin(), verify.values().end(),
            whole.values().begin() + static_cast<std::ptrdiff_t>(layout.trunk_size));
  return whole;
}

}  // namespace lacuna::nn
