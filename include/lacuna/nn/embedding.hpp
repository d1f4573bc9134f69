/// @file
/// @brief The first layer: token, position and feature embeddings summed; and the scores of pairs of positions.
///
/// Shapes: x, dx [N, D]; tables as in nn/layout.hpp.
#pragma once

#include <algorithm>
#include <cstddef>

#include "lacuna/core/token.hpp"
#include "lacuna/nn/attention.hpp"
#include "lacuna/nn/config.hpp"
#include "lacuna/nn/layout.hpp"
#include "lacuna/nn/simd.hpp"

namespace lacuna::nn {

/// x = the sum of the embeddings of a token at a position.
inline void embed(const transformer_config& c, const transformer_layout& layout, const float* base, token t,
                  std::size_t position, float* x) {
  const std::size_t d = c.width;
  const auto add = [&](const float* row) {
    simd::map(
        d, x, [](const auto& a, const auto& b) { return simd::add(a, b); }, x, row);
  };
  std::copy_n(base + layout.token_embedding.offset + static_cast<std::size_t>(t) * d, d, x);
  if (layout.position_embedding) add(base + layout.position_embedding->offset + position * d);
  for (std::size_t f = 0; f < c.features.size(); ++f)
    add(base + layout.feature_embeddings[f].offset + c.features[f].ids[position] * d);
}

/// Adds dx to the gradients of the rows that `embed` read.
inline void embed_backward(const transformer_config& c, const transformer_layout& layout, token t, std::size_t position,
                           const float* dx, float* gradient) {
  const std::size_t d = c.width;
  const auto add = [&](float* row) {
    simd::map(
        d, row, [](const auto& a, const auto& b) { return simd::add(a, b); }, row, dx);
  };
  add(gradient + layout.token_embedding.offset + static_cast<std::size_t>(t) * d);
  if (layout.position_embedding) add(gradient + layout.position_embedding->offset + position * d);
  for (std::size_t f = 0; f < c.features.size(); ++f)
    add(gradient + layout.feature_embeddings[f].offset + c.features[f].ids[position] * d);
}

/// The scores of one head of a layer, out.at(h, .), from the layer's numbers per relation [H, R].
inline void expand_relation(const transformer_config& c, const float* numbers, std::size_t length, std::size_t h,
                            attention_scores<float> out) {
  const position_relation& relation = *c.relation;
  const float* of_head = numbers + h * relation.count;
  for (std::size_t q = 0; q < length; ++q) {
    const std::uint32_t* ids = relation.ids.data() + q * c.max_length;
    float* row = out.at(h, q);
    for (std::size_t k = 0; k < length; ++k) row[k] = of_head[ids[k]];
    std::fill(row + length, row + out.stride, 0.0F);
  }
}

/// Adds the gradient of the scores to that of the numbers.
inline void expand_relation_backward(const transformer_config& c, attention_scores<const float> dscores, std::size_t length,
                                     float* dnumbers) {
  const position_relation& relation = *c.relation;
  for (std::size_t q = 0; q < length; ++q) {
    const std::uint32_t* ids = relation.ids.data() + q * c.max_length;
    // Heads innermost: additions to the same number wait for each other, those of different heads do not.
    for (std::size_t k = 0; k < length; ++k) {
      const std::size_t id = ids[k];
      for (std::size_t h = 0; h < c.heads; ++h) dnumbers[h * relation.count + id] += dscores.at(h, q)[k];
    }
  }
}

}  // namespace lacuna::nn
