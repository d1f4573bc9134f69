/// @file
/// @brief The attention scores of all blocks' relations while a network is trained: made of the numbers, and their gradient
/// gathered back.
///
/// Shapes: scores [depth, H, max_length, P], P = max_length rounded up to a packet.
#pragma once

#include <cstddef>

#include "lacuna/nn/attention.hpp"
#include "lacuna/nn/config.hpp"
#include "lacuna/nn/embedding.hpp"
#include "lacuna/nn/layout.hpp"
#include "lacuna/nn/simd.hpp"

namespace lacuna::nn {

/// Scores of one block.
inline std::size_t relation_score_count(const transformer_config& c) {
  return c.heads * c.max_length * simd::padded(c.max_length);
}

/// Those of block `layer` in `base`, or none if that is null.
inline attention_scores<float> relation_scores_in(const transformer_config& c, float* base, std::size_t layer) {
  if (base == nullptr) return {};
  return {base + layer * relation_score_count(c), c.max_length, simd::padded(c.max_length)};
}

/// From the parameters. Does nothing for a network without a relation.
inline void expand_relations(const transformer_config& c, const transformer_layout& layout, const float* values,
                             float* scores) {
  if (!c.relation) return;
  const std::size_t per_layer = c.heads * c.relation->count;
  for (std::size_t l = 0; l < c.depth; ++l)
    for (std::size_t h = 0; h < c.heads; ++h)
      expand_relation(c, values + layout.relation->offset + l * per_layer, c.max_length, h, relation_scores_in(c, scores, l));
}

/// Adds the gradient of the scores to that of the parameters.
inline void expand_relations_backward(const transformer_config& c, const transformer_layout& layout, float* dscores,
                                      float* gradient) {
  if (!c.relation) return;
  const std::size_t per_layer = c.heads * c.relation->count;
  for (std::size_t l = 0; l < c.depth; ++l) {
    const attention_scores<float> s = relation_scores_in(c, dscores, l);
    expand_relation_backward(c, {s.data, s.rows, s.stride}, c.max_length, gradient + layout.relation->offset + l * per_layer);
  }
}

}  // namespace lacuna::nn
