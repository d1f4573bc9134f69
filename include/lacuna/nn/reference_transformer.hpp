/// @file
/// @brief The whole network in plain loops: forward, and loss with gradient. See nn/reference.hpp.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "lacuna/core/token.hpp"
#include "lacuna/nn/config.hpp"
#include "lacuna/nn/example_batch.hpp"
#include "lacuna/nn/layout.hpp"
#include "lacuna/nn/parameters.hpp"
#include "lacuna/nn/reference.hpp"
#include "lacuna/nn/reference_block.hpp"

namespace lacuna::nn::reference {

/// The network over parameters of any scalar type, in the layout of nn/layout.hpp.
template <class Scalar>
class transformer {
 public:
  transformer(transformer_config config, std::span<const float> parameters)
      : config_{std::move(config)}, values_(parameters.begin(), parameters.end()) {
    nn::parameters shape;
    layout_ = transformer_layout::add_to(shape, config_);
  }

  /// Every parameter, to be changed at will.
  values<Scalar>& parameters() { return values_; }

  struct output {
    values<Scalar> logits;  ///< [L, V]
    values<Scalar> hidden;  ///< [L, D]
  };
  output operator()(std::span<const token> row) const {
    record kept;
    return read(row, kept);
  }

  /// The loss of a batch; adds its gradient to `gradient`, unless that is empty.
  Scalar loss(const example_batch& batch, std::span<Scalar> gradient) const {
    Scalar total{0};
    for (std::size_t b = 0; b < batch.rows(); ++b) {
      const std::size_t begin = batch.offsets[b];
      const std::size_t length = batch.offsets[b + 1] - begin;
      record kept;
      const std::span<const token> row = batch.inputs.subspan(begin, length);
      output out = read(row, kept);
      const std::size_t v = config_.vocabulary;
      for (std::size_t l = 0; l < length; ++l)
        total += cross_entropy(v, batch.targets[begin + l], static_cast<Scalar>(batch.weights[begin + l]),
                               out.logits.data() + l * v);
      if (!gradient.empty())  // out.logits holds their gradient
        trunk_backward(row, kept, head_backward(kept.last, out.hidden, out.logits, gradient), gradient);
    }
    return total;
  }

  /// What the backward pass needs of the forward pass.
  struct record {
    std::vector<block_kept<Scalar>> blocks;
    values<Scalar> last;  ///< [L, D], what the last block returns
  };

  /// What the last block returns, [L, D].
  values<Scalar> trunk(std::span<const token> row, record& kept) const {
    const transformer_config& c = config_;
    const std::size_t n = row.size();
    const std::size_t d = c.width;
    values<Scalar> x(n * d);
    for (std::size_t l = 0; l < n; ++l)
      for (std::size_t i = 0; i < d; ++i) {
        Scalar& v = x[l * d + i];
        v = at(layout_.token_embedding)[static_cast<std::size_t>(row[l]) * d + i];
        if (layout_.position_embedding) v += at(*layout_.position_embedding)[l * d + i];
        for (std::size_t f = 0; f < c.features.size(); ++f)
          v += at(layout_.feature_embeddings[f])[c.features[f].ids[l] * d + i];
      }
    for (std::size_t k = 0; k < c.depth; ++k) {
      kept.blocks.emplace_back();
      x = block(
          c, layout_.blocks[k], values_.data(), x,
          [&](values<Scalar>& qkv, values<Scalar>& probabilities) {
            if (c.positions == positions::rotary) rotate(c, n, Scalar{1}, qkv);
            return attention(c, n, qkv, relation_of(k), probabilities);
          },
          kept.blocks.back());
    }
    kept.last = x;
    return x;
  }

  /// The last norm of x [N, D].
  values<Scalar> last_norm(const values<Scalar>& x) const {
    return norm(x.size() / config_.width, config_.width, x, at(layout_.norm_weight), bias_at(values_.data(), layout_.norm_bias),
                epsilon());
  }

  /// Hidden states [N, D] -> logits [N, V].
  values<Scalar> head(const values<Scalar>& hidden) const {
    const std::size_t d = config_.width;
    const std::size_t v = config_.vocabulary;
    values<Scalar> logits(hidden.size() / d * v);
    for (std::size_t k = 0; k < logits.size(); ++k) {
      logits[k] = at(layout_.head_bias)[k % v];
      for (std::size_t i = 0; i < d; ++i) logits[k] += hidden[k / v * d + i] * *head_weight(i, k % v, values_.data());
    }
    return logits;
  }

  /// The gradient of x from that of the logits of head(last_norm(x)); adds to `gradient`.
  values<Scalar> head_backward(const values<Scalar>& x, const values<Scalar>& hidden, const values<Scalar>& dlogits,
                               std::span<Scalar> gradient) const {
    const std::size_t d = config_.width;
    const std::size_t v = config_.vocabulary;
    values<Scalar> dhidden(hidden.size());
    for (std::size_t k = 0; k < dlogits.size(); ++k) {
      gradient[layout_.head_bias.offset + k % v] += dlogits[k];
      for (std::size_t i = 0; i < d; ++i) {
        *head_weight(i, k % v, gradient.data()) += dlogits[k] * hidden[k / v * d + i];
        dhidden[k / v * d + i] += dlogits[k] * *head_weight(i, k % v, values_.data());
      }
    }
    return last_norm_backward(x, dhidden, gradient);
  }
  values<Scalar> last_norm_backward(const values<Scalar>& x, const values<Scalar>& dhidden, std::span<Scalar> gradient) const {
    return norm_backward(x.size() / config_.width, config_.width, x, at(layout_.norm_weight), config_.norm == norm_kind::layer,
                         epsilon(), dhidden, gradient.data() + layout_.norm_weight.offset,
                         gradient.data() + layout_.norm_bias.offset);
  }

  /// From the gradient of what the last block returns to those of the parameters below.
  void trunk_backward(std::span<const token> row, const record& kept, values<Scalar> dx, std::span<Scalar> gradient) const {
    const transformer_config& c = config_;
    const std::size_t n = row.size();
    const std::size_t d = c.width;
    const auto into = [&](const parameter& p) { return gradient.data() + p.offset; };
    for (std::size_t k = c.depth; k-- > 0;) {
      Scalar* drelation = layout_.relation ? into(*layout_.relation) + k * c.heads * c.relation->count : nullptr;
      block_backward(
          c, layout_.blocks[k], values_.data(), kept.blocks[k],
          [&](const values<Scalar>& qkv, const values<Scalar>& probabilities, const values<Scalar>& dattended) {
            values<Scalar> dqkv = attention_backward(c, n, qkv, probabilities, dattended, drelation);
            if (c.positions == positions::rotary) rotate(c, n, Scalar{-1}, dqkv);
            return dqkv;
          },
          dx, gradient.data());
    }
    for (std::size_t l = 0; l < n; ++l)
      for (std::size_t i = 0; i < d; ++i) {
        const Scalar v = dx[l * d + i];
        into(layout_.token_embedding)[static_cast<std::size_t>(row[l]) * d + i] += v;
        if (layout_.position_embedding) into(*layout_.position_embedding)[l * d + i] += v;
        for (std::size_t f = 0; f < c.features.size(); ++f)
          into(layout_.feature_embeddings[f])[c.features[f].ids[l] * d + i] += v;
      }
  }

 private:
  output read(std::span<const token> row, record& kept) const {
    output out;
    out.hidden = last_norm(trunk(row, kept));
    out.logits = head(out.hidden);
    return out;
  }

  const Scalar* at(const parameter& p) const { return values_.data() + p.offset; }
  const Scalar* relation_of(std::size_t layer) const {
    return layout_.relation ? at(*layout_.relation) + layer * config_.heads * config_.relation->count : nullptr;
  }
  Scalar epsilon() const { return static_cast<Scalar>(config_.norm_epsilon); }

  /// The element of the output projection that takes hidden unit i to token t.
  template <class S>
  S* head_weight(std::size_t i, std::size_t t, S* base) const {
    return layout_.head_weight ? base + layout_.head_weight->offset + i * config_.vocabulary + t
                               : base + layout_.token_embedding.offset + t * config_.width + i;
  }

  transformer_config config_;
  transformer_layout layout_;
  values<Scalar> values_;
};

}  // namespace lacuna::nn::reference
