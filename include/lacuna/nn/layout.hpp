/// @file
/// @brief The parameters of a transformer: their names, shapes and places in the flat buffer, for one configuration.
#pragma once

#include <cmath>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lacuna/core/errors.hpp"
#include "lacuna/core/shape_text.hpp"
#include "lacuna/nn/config.hpp"
#include "lacuna/nn/initial.hpp"
#include "lacuna/nn/parameters.hpp"

namespace lacuna::nn {

/// A block's parameters as places in the flat buffer.
struct block_layout {
  parameter norm1_weight, norm1_bias;  ///< [D]; without a bias its size is 0
  parameter qkv_weight, qkv_bias;      ///< [D, 3D], [3D]: queries, keys, values
  parameter out_weight, out_bias;      ///< [D, D], [D]
  parameter norm2_weight, norm2_bias;  ///< [D]
  parameter up_weight, up_bias;        ///< [D, U], [U]; U = F, or 2F for SwiGLU: gate, value
  parameter down_weight, down_bias;    ///< [F, D], [D]

  /// Adds zero-filled tensors whose names begin with `prefix`.
  static block_layout add_to(parameters& p, const std::string& prefix, const transformer_config& c) {
    const std::size_t d = c.width;
    block_layout b;
    b.norm1_weight = p.add(prefix + "norm1.weight", {d}, false);
    b.norm1_bias = add_norm_bias(p, prefix + "norm1.bias", c);
    b.qkv_weight = p.add(prefix + "attention.qkv.weight", {d, 3 * d}, true);
    b.qkv_bias = p.add(prefix + "attention.qkv.bias", {3 * d}, false);
    b.out_weight = p.add(prefix + "attention.out.weight", {d, d}, true);
    b.out_bias = p.add(prefix + "attention.out.bias", {d}, false);
    b.norm2_weight = p.add(prefix + "norm2.weight", {d}, false);
    b.norm2_bias = add_norm_bias(p, prefix + "norm2.bias", c);
    b.up_weight = p.add(prefix + "feed_forward.up.weight", {d, c.up_width()}, true);
    b.up_bias = p.add(prefix + "feed_forward.up.bias", {c.up_width()}, false);
    b.down_weight = p.add(prefix + "feed_forward.down.weight", {c.feed_forward, d}, true);
    b.down_bias = p.add(prefix + "feed_forward.down.bias", {d}, false);
    return b;
  }

  /// The bias of a norm, of size 0 for one that has none.
  static parameter add_norm_bias(parameters& p, const std::string& name, const transformer_config& c) {
    return c.norm == norm_kind::layer ? p.add(name, {c.width}, false) : parameter{name, {0}, 0, 0, false};
  }
};

/// The whole network's.
struct transformer_layout {
  parameter token_embedding;                    ///< [V, D]
  std::optional<parameter> position_embedding;  ///< [max_length, D]
  std::vector<parameter> feature_embeddings;    ///< [count, D] each
  std::optional<parameter> relation;            ///< [depth, H, R]
  std::vector<block_layout> blocks;             ///< one for each of depth; shared ones are the same places
  parameter norm_weight, norm_bias;             ///< [D]
  std::optional<parameter> head_weight;         ///< [D, V] unless tied
  parameter head_bias;                          ///< [V]

  /// Adds zero-filled tensors for `config` to `p`.
  static transformer_layout add_to(parameters& p, const transformer_config& c) {
    transformer_layout out;
    const std::size_t d = c.width;
    out.token_embedding = p.add("embedding.token", {c.vocabulary, d}, false);
    if (c.positions == positions::learned) out.position_embedding = p.add("embedding.position", {c.max_length, d}, false);
    for (const position_feature& f : c.features)
      out.feature_embeddings.push_back(p.add("embedding." + f.name, {f.count, d}, false));
    if (c.relation) out.relation = p.add("attention.relation", {c.depth, c.heads, c.relation->count}, false);
    for (std::size_t i = 0; i < c.own_blocks(); ++i) {
      const block_layout b = block_layout::add_to(p, "block." + std::to_string(i) + ".", c);
      out.blocks.push_back(b);
    }
    for (std::size_t i = c.own_blocks(); i < c.depth; ++i) out.blocks.push_back(out.blocks[i % c.own_blocks()]);
    out.norm_weight = p.add("norm.weight", {d}, false);
    out.norm_bias = block_layout::add_norm_bias(p, "norm.bias", c);
    if (c.head == head_kind::own) out.head_weight = p.add("head.weight", {d, c.vocabulary}, true);
    out.head_bias = p.add("head.bias", {c.vocabulary}, false);
    return out;
  }
};

/// Number of parameters of a norm.
inline double norm_parameter_count(const transformer_config& c) {
  return static_cast<double>(c.width) * (c.norm == norm_kind::layer ? 2 : 1);
}

/// Number of parameters of a block.
inline double block_parameter_count(const transformer_config& c) {
  const auto d = static_cast<double>(c.width);
  const auto f = static_cast<double>(c.feed_forward);
  const double up = is_gated(c.activation) ? 2 * f : f;
  return 2 * norm_parameter_count(c) + 3 * d * d + 3 * d + d * d + d + d * up + up + f * d + d;
}

/// Number of parameters, without making any: to ask before a configuration from a file gets the memory it asks for. A double,
/// so that nothing overflows.
inline double parameter_count(const transformer_config& c) {
  const auto number = [](std::size_t n) { return static_cast<double>(n); };
  const double d = number(c.width);
  const double v = number(c.vocabulary);
  const double norm = norm_parameter_count(c);
  double count = v * d + norm + v;
  if (c.positions == positions::learned) count += number(c.max_length) * d;
  for (const position_feature& feature : c.features) count += number(feature.count) * d;
  if (c.relation) count += number(c.depth) * number(c.heads) * number(c.relation->count);
  if (c.head == head_kind::own) count += d * v;
  return count + number(c.own_blocks()) * block_parameter_count(c);
}

/// Starting values, each tensor from a stream of its own: the same for the same seed and order of calls everywhere.
class initialiser {
 public:
  initialiser(parameters& p, std::uint64_t seed) : p_{&p}, seed_{seed} {}

  void normal(const parameter& where, double deviation) { fill_normal(p_->of(where), deviation, seed_, stream_++); }
  /// Deviation sqrt(1 / (3 inputs)), times `shrink`.
  void matrix(const parameter& where, double shrink = 1) {
    normal(where, shrink * std::sqrt(1.0 / (3.0 * static_cast<double>(where.shape[0]))));
  }
  void ones(const parameter& where) {
    for (float& v : p_->of(where)) v = 1.0F;
  }
  /// Matrices that end a residual branch are divided by sqrt(2 depth).
  void block(const block_layout& b, std::size_t depth) {
    const double branch = 1.0 / std::sqrt(2.0 * static_cast<double>(depth));
    ones(b.norm1_weight);
    matrix(b.qkv_weight);
    matrix(b.out_weight, branch);
    ones(b.norm2_weight);
    matrix(b.up_weight);
    matrix(b.down_weight, branch);
  }
  /// The numbers of a relation [depth, H, R] as the configuration says.
  void relation(const parameter& where, const transformer_config& c) {
    if (c.relation->initial.empty()) return;
    const std::span<float> all = p_->of(where);
    const std::size_t layer = c.heads * c.relation->count;
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = c.relation->initial[i % layer];
  }

 private:
  parameters* p_;
  std::uint64_t seed_;
  std::uint64_t stream_ = 0;
};

/// Starting values: embeddings normal with deviation 1 / sqrt(D); norms 1; biases 0; all else as above.
inline void initialise(parameters& p, const transformer_layout& layout, const transformer_config& c, std::uint64_t seed) {
  initialiser start{p, seed};
  const double embedding = 1.0 / std::sqrt(static_cast<double>(c.width));
  start.normal(layout.token_embedding, embedding);
  if (layout.position_embedding) start.normal(*layout.position_embedding, embedding);
  for (const parameter& f : layout.feature_embeddings) start.normal(f, embedding);
  for (const block_layout& b : std::span{layout.blocks}.first(c.own_blocks())) start.block(b, c.depth);
  start.ones(layout.norm_weight);
  if (layout.head_weight) start.matrix(*layout.head_weight);
  if (layout.relation) start.relation(*layout.relation, c);
}

/// Throws invalid_argument unless `given` has exactly the names, shapes and order of `expected`.
inline void check_layout(const parameters& given, const parameters& expected) {
  const auto text = [](const parameter& q) { return "'" + q.name + "' " + shape_text(q.shape); };
  const std::size_t count = expected.list().size();
  for (std::size_t i = 0; i < count; ++i) {
    const parameter& want = expected.list()[i];
    if (i >= given.list().size()) throw invalid_argument("transformer: parameter " + text(want) + " is missing");
    const parameter& got = given.list()[i];
    if (got.name != want.name || got.shape != want.shape)
      throw invalid_argument("transformer: parameter " + std::to_string(i) + " is " + text(got) + ", expected " + text(want));
  }
  if (given.list().size() != count)
    throw invalid_argument("transformer: got " + std::to_string(given.list().size()) + " parameters, expected " +
                           std::to_string(count));
}

}  // namespace lacuna::nn
