/// @file
/// @brief The shape of a hybrid transformer: a bidirectional trunk that drafts, and causal blocks on top of it that verify.
///
/// Plain data, set member by member; `check` says what does not fit. `nn/hybrid_metadata.hpp` turns it into strings and back.
/// Source: Self-Speculative Masked Diffusions (arXiv 2510.03929); eleven blocks in the trunk and one causal there.
#pragma once

#include <cstddef>
#include <string>

#include "lacuna/core/errors.hpp"
#include "lacuna/nn/config.hpp"

namespace lacuna::nn {

/// Whether the trunk's hidden state of the predicted position is added to what the causal blocks say of it, before the head.
/// With it the target begins as the draft itself and only what differs is learned; `off` is for comparison.
enum class output_residual { on, off };

/// The shape of a hybrid transformer. The causal blocks have the trunk's width, heads, feed-forward part, norm and kind of
/// positions; of its features and relation they know what the hidden states say.
struct hybrid_config {
  transformer_config trunk;      ///< its depth is the number of blocks that draft
  std::size_t causal_depth = 1;  ///< number of causal blocks
  output_residual residual = output_residual::on;

  /// Blocks of both kinds.
  [[nodiscard]] std::size_t depth() const { return trunk.depth + causal_depth; }
  /// The shape of the causal blocks.
  [[nodiscard]] transformer_config causal() const {
    transformer_config c = trunk;
    c.depth = causal_depth;
    c.distinct_blocks = 0;
    c.features.clear();
    c.relation.reset();
    return c;
  }

  bool operator==(const hybrid_config&) const = default;
};

/// Throws invalid_argument naming the first member that does not fit.
inline void check(const hybrid_config& c) {
  check(c.trunk);
  if (c.causal_depth == 0 || c.causal_depth > most_blocks)
    throw invalid_argument("hybrid_config: causal_depth is " + std::to_string(c.causal_depth) + ", expected 1.." +
                           std::to_string(most_blocks));
}

}  // namespace lacuna::nn
