/// @file
/// @brief The whole network in plain loops: forward, and loss with gradient. See nn/reference.hpp.
#pragma once

#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "lacuna/core/token.hpp"
#include "lacuna/nn/config.hpp"
#include "lacuna/nn/example_batch.hpp"
#include "lacuna/nn/layout.hpp"
#include "lacuna/nn/parameters.hpp"
#include "lacuna/nn/reference.hpp"

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
  output operator()(std::span<const token> row) const { return forward(row, nullptr); }

  /// The loss of a batch; adds its gradient to `gradient`, unless that is empty.
  Scalar loss(const example_batch& batch, std::span<Scalar> gradient) const {
    Scalar total{0};
    for (std::size_t b = 0; b < batch.rows(); ++b) {
      const std::size_t begin = batch.offsets[b];
      const std::size_t length = batch.offsets[b + 1] - begin;
      record kept;
      const std::span<const token> row = batch.inputs.subspan(begin, length);
      output out = forward(row, &kept);
      const std::size_t v = config_.vocabulary;
      for (std::size_t l = 0; l < length; ++l) {
        const auto weight = static_cast<Scalar>(batch.weights[begin + l]);
        Scalar* logits = out.logits.data() + l * v;
        if (weight == 0) {
          std::fill(logits, logits + v, Scalar{0});
          continue;
        }
        const auto target = static_cast<std::size_t>(batch.targets[begin + l]);
        const Scalar top = *std::max_element(logits, logits + v);
        Scalar sum{0};
        for (std::size_t t = 0; t < v; ++t) sum += std::exp(logits[t] - top);
        total += weight * (top + std::log(sum) - logits[target]);
        for (std::size_t t = 0; t < v; ++t) logits[t] = weight * (std::exp(logits[t] - top) / sum - (t == target ? 1 : 0));
      }
      if (!gradient.empty()) backward(row, kept, out, gradient);
    }
    return total;
  }

 private:
  struct block_kept {
    values<Scalar> x, h1, qkv, probabilities, attended, middle, h2, u, g;
  };
  struct record {
    std::vector<block_kept> blocks;
    values<Scalar> last;
  };

  const Scalar* at(const parameter& p) const { return values_.data() + p.offset; }
  const Scalar* bias_at(const parameter& p) const { return p.size == 0 ? nullptr : at(p); }
  const Scalar* relation_of(std::size_t layer) const {
    return layout_.relation ? at(*layout_.relation) + layer * config_.heads * config_.relation->count : nullptr;
  }
  bool layered() const { return config_.norm == norm_kind::layer; }
  Scalar epsilon() const { return static_cast<Scalar>(config_.norm_epsilon); }

  output forward(std::span<const token> row, record* kept) const {
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
      const block_layout& b = layout_.blocks[k];
      block_kept r;
      r.x = x;
      r.h1 = norm(n, d, x, at(b.norm1_weight), bias_at(b.norm1_bias), epsilon());
      r.qkv = linear(n, d, 3 * d, r.h1, at(b.qkv_weight), at(b.qkv_bias));
      if (c.positions == positions::rotary) rotate(c, n, Scalar{1}, r.qkv);
      r.attended = attention(c, n, r.qkv, relation_of(k), r.probabilities);
      r.middle = linear(n, d, d, r.attended, at(b.out_weight), at(b.out_bias));
      for (std::size_t i = 0; i < n * d; ++i) r.middle[i] += x[i];
      r.h2 = norm(n, d, r.middle, at(b.norm2_weight), bias_at(b.norm2_bias), epsilon());
      r.u = linear(n, d, c.up_width(), r.h2, at(b.up_weight), at(b.up_bias));
      r.g = activate(c.activation, n, c.feed_forward, r.u);
      x = linear(n, c.feed_forward, d, r.g, at(b.down_weight), at(b.down_bias));
      for (std::size_t i = 0; i < n * d; ++i) x[i] += r.middle[i];
      if (kept != nullptr) kept->blocks.push_back(std::move(r));
    }
    output out;
    out.hidden = norm(n, d, x, at(layout_.norm_weight), bias_at(layout_.norm_bias), epsilon());
    out.logits.resize(n * c.vocabulary);
    for (std::size_t l = 0; l < n; ++l)
      for (std::size_t t = 0; t < c.vocabulary; ++t) {
        Scalar total = at(layout_.head_bias)[t];
        for (std::size_t i = 0; i < d; ++i) total += out.hidden[l * d + i] * *head_weight(i, t, values_.data());
        out.logits[l * c.vocabulary + t] = total;
      }
    if (kept != nullptr) kept->last = std::move(x);
    return out;
  }

  /// The element of the output projection that takes hidden unit i to token t.
  template <class S>
  S* head_weight(std::size_t i, std::size_t t, S* base) const {
    return layout_.head_weight ? base + layout_.head_weight->offset + i * config_.vocabulary + t
                               : base + layout_.token_embedding.offset + t * config_.width + i;
  }

  /// `out.logits` holds their gradient.
  void backward(std::span<const token> row, const record& kept, const output& out, std::span<Scalar> gradient) const {
    const transformer_config& c = config_;
    const std::size_t n = row.size();
    const std::size_t d = c.width;
    Scalar* g = gradient.data();
    const auto into = [&](const parameter& p) { return g + p.offset; };
    values<Scalar> dhidden(n * d);
    for (std::size_t l = 0; l < n; ++l)
      for (std::size_t t = 0; t < c.vocabulary; ++t) {
        const Scalar dlogit = out.logits[l * c.vocabulary + t];
        into(layout_.head_bias)[t] += dlogit;
        for (std::size_t i = 0; i < d; ++i) {
          *head_weight(i, t, g) += dlogit * out.hidden[l * d + i];
          dhidden[l * d + i] += dlogit * *head_weight(i, t, values_.data());
        }
      }
    values<Scalar> dx = norm_backward(n, d, kept.last, at(layout_.norm_weight), layered(), epsilon(), dhidden,
                                      into(layout_.norm_weight), into(layout_.norm_bias));
    for (std::size_t k = c.depth; k-- > 0;) {
      const block_layout& b = layout_.blocks[k];
      const block_kept& r = kept.blocks[k];
      const auto add = [&](const values<Scalar>& more) {
        for (std::size_t i = 0; i < n * d; ++i) dx[i] += more[i];
      };
      const values<Scalar> dg =
          linear_backward(n, c.feed_forward, d, r.g, at(b.down_weight), dx, into(b.down_weight), into(b.down_bias));
      const values<Scalar> du = activate_backward(c.activation, n, c.feed_forward, r.u, dg);
      const values<Scalar> dh2 =
          linear_backward(n, d, c.up_width(), r.h2, at(b.up_weight), du, into(b.up_weight), into(b.up_bias));
      add(norm_backward(n, d, r.middle, at(b.norm2_weight), layered(), epsilon(), dh2, into(b.norm2_weight),
                        into(b.norm2_bias)));
      const values<Scalar> dattended =
          linear_backward(n, d, d, r.attended, at(b.out_weight), dx, into(b.out_weight), into(b.out_bias));
      Scalar* drelation = layout_.relation ? into(*layout_.relation) + k * c.heads * c.relation->count : nullptr;
      values<Scalar> dqkv = attention_backward(c, n, r.qkv, r.probabilities, dattended, drelation);
      if (c.positions == positions::rotary) rotate(c, n, Scalar{-1}, dqkv);
      const values<Scalar> dh1 =
          linear_backward(n, d, 3 * d, r.h1, at(b.qkv_weight), dqkv, into(b.qkv_weight), into(b.qkv_bias));
      add(norm_backward(n, d, r.x, at(b.norm1_weight), layered(), epsilon(), dh1, into(b.norm1_weight), into(b.norm1_bias)));
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

  transformer_config config_;
  transformer_layout layout_;
  values<Scalar> values_;
};

}  // namespace lacuna::nn::reference
