/// @file
/// @brief The hybrid transformer in plain loops: drafts and targets of a row, and loss with gradient. See nn/reference.hpp.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "lacuna/core/token.hpp"
#include "lacuna/nn/hybrid_config.hpp"
#include "lacuna/nn/hybrid_examples.hpp"
#include "lacuna/nn/hybrid_layout.hpp"
#include "lacuna/nn/parameters.hpp"
#include "lacuna/nn/reference.hpp"
#include "lacuna/nn/reference_block.hpp"
#include "lacuna/nn/reference_transformer.hpp"

namespace lacuna::nn::reference {

/// The network over parameters of any scalar type, in the layout of nn/hybrid_layout.hpp.
template <class Scalar>
class hybrid {
 public:
  hybrid(hybrid_config config, std::span<const float> parameters)
      : config_{std::move(config)}, causal_{config_.causal()}, values_(parameters.begin(), parameters.end()) {
    nn::parameters shape;
    layout_ = hybrid_layout::add_to(shape, config_);
  }

  /// Every parameter, to be changed at will.
  values<Scalar>& parameters() { return values_; }

  struct output {
    values<Scalar> drafts;   ///< [L, V] by track: the logits of the position order[d]
    values<Scalar> targets;  ///< [L, V] by track
  };
  /// `tokens` [L] by position; the trunk sees those of the first `revealed` tracks.
  output operator()(std::span<const token> tokens, std::span<const std::size_t> order, std::size_t revealed) const {
    record kept;
    return forward(trunk_now(), tokens, order, revealed, kept);
  }

  /// The parts of the loss of a batch; adds their gradient to `gradient`, unless that is empty.
  std::pair<Scalar, Scalar> loss(const hybrid_examples& e, std::span<Scalar> gradient) const {
    const transformer<Scalar> trunk = trunk_now();
    const std::size_t v = config_.trunk.vocabulary;
    std::pair<Scalar, Scalar> total{0, 0};
    for (std::size_t b = 0; b < e.rows(); ++b) {
      const std::size_t begin = e.offsets[b];
      const std::size_t length = e.offsets[b + 1] - begin;
      const std::span<const token> tokens = e.tokens.subspan(begin, length);
      const std::span<const std::size_t> order = e.orders.subspan(begin, length);
      record kept;
      output out = forward(trunk, tokens, order, e.revealed[b], kept);
      for (std::size_t t = 0; t < length; ++t) {
        const Scalar weight =
            t < e.revealed[b] ? Scalar{0} : static_cast<Scalar>(length) / static_cast<Scalar>(length - e.revealed[b]);
        total.first += cross_entropy(v, tokens[order[t]], weight, out.drafts.data() + t * v);
        total.second += cross_entropy(v, tokens[order[t]], weight, out.targets.data() + t * v);
      }
      if (!gradient.empty()) backward(trunk, tokens, order, kept, out, gradient);
    }
    return total;
  }

 private:
  struct record {
    std::vector<token> inputs;
    typename transformer<Scalar>::record trunk;
    values<Scalar> hidden;  ///< [L, D] by position, after the last norm
    values<Scalar> drafted, pairs, causal, normed, sum, target;
    std::vector<block_kept<Scalar>> blocks;
  };

  transformer<Scalar> trunk_now() const {
    transformer<Scalar> trunk{config_.trunk, std::vector<float>(layout_.trunk_size)};
    std::copy_n(values_.begin(), layout_.trunk_size, trunk.parameters().begin());
    return trunk;
  }

  const Scalar* at(const parameter& p) const { return values_.data() + p.offset; }
  Scalar epsilon() const { return static_cast<Scalar>(causal_.norm_epsilon); }

  /// Queries by the position that their track predicts, keys by the one whose token it carries; track 0 carries none.
  void turn(std::span<const std::size_t> order, Scalar direction, values<Scalar>& qkv) const {
    if (causal_.positions != positions::rotary) return;
    for (std::size_t t = 0; t < order.size(); ++t) {
      rotate_heads(causal_, order[t], direction, qkv.data() + t * 3 * causal_.width);
      rotate_heads(causal_, order[t == 0 ? 0 : t - 1], direction, qkv.data() + t * 3 * causal_.width + causal_.width);
    }
  }
  /// Attention over earlier tracks and the own one: all, with scores of minus infinity for the others.
  transformer_config with_causal_relation(std::size_t length) const {
    transformer_config c = causal_;
    c.max_length = length;
    position_relation later;
    later.count = 2;
    for (std::size_t q = 0; q < length; ++q)
      for (std::size_t k = 0; k < length; ++k) later.ids.push_back(k > q ? 1U : 0U);
    c.relation = std::move(later);
    return c;
  }
  values<Scalar> causal_scores() const {
    values<Scalar> out(2 * causal_.heads);
    for (std::size_t h = 0; h < causal_.heads; ++h) out[2 * h + 1] = static_cast<Scalar>(-HUGE_VAL);
    return out;
  }

  output forward(const transformer<Scalar>& trunk, std::span<const token> tokens, std::span<const std::size_t> order,
                 std::size_t revealed, record& r) const {
    const std::size_t n = tokens.size();
    const std::size_t d = causal_.width;
    const verify_layout& verify = layout_.verify;
    r.inputs.assign(n, causal_.mask_token);
    for (std::size_t t = 0; t < revealed; ++t) r.inputs[order[t]] = tokens[order[t]];
    trunk.trunk(r.inputs, r.trunk);
    r.hidden = trunk.last_norm(r.trunk.last);
    r.drafted.resize(n * d);
    for (std::size_t t = 0; t < n; ++t)
      for (std::size_t i = 0; i < d; ++i) r.drafted[t * d + i] = r.hidden[order[t] * d + i];
    output out;
    out.drafts = trunk.head(r.drafted);

    r.pairs.assign(n * 2 * d, Scalar{0});
    for (std::size_t t = 0; t < n; ++t)
      for (std::size_t i = 0; i < d; ++i) {
        if (t > 0) r.pairs[t * 2 * d + i] = r.hidden[order[t - 1] * d + i];
        r.pairs[t * 2 * d + d + i] = r.hidden[order[t] * d + i];
      }
    values<Scalar> u = linear(n, 2 * d, d, r.pairs, at(verify.join_weight), at(verify.join_bias));
    for (std::size_t t = 0; t < n; ++t)
      for (std::size_t i = 0; i < d; ++i) {
        Scalar& x = u[t * d + i];
        x += t == 0 ? at(verify.start)[i]
                    : at(layout_.trunk.token_embedding)[static_cast<std::size_t>(tokens[order[t - 1]]) * d + i];
        if (verify.carried_position && t > 0) x += at(*verify.carried_position)[order[t - 1] * d + i];
        if (verify.next_position) x += at(*verify.next_position)[order[t] * d + i];
      }
    const transformer_config masked = with_causal_relation(n);
    const values<Scalar> scores = causal_scores();
    for (std::size_t k = 0; k < causal_.depth; ++k) {
      r.blocks.emplace_back();
      u = block(
          causal_, verify.blocks[k], values_.data(), u,
          [&](values<Scalar>& qkv, values<Scalar>& probabilities) {
            turn(order, Scalar{1}, qkv);
            return attention(masked, n, qkv, scores.data(), probabilities);
          },
          r.blocks.back());
    }
    r.causal = u;
    r.normed = norm(n, d, u, at(verify.norm_weight), bias_at(values_.data(), verify.norm_bias), epsilon());
    r.sum = linear(n, d, d, r.normed, at(verify.out_weight), at(verify.out_bias));
    if (config_.residual == output_residual::on)
      for (std::size_t t = 0; t < n; ++t)
        for (std::size_t i = 0; i < d; ++i) r.sum[t * d + i] += r.trunk.last[order[t] * d + i];
    r.target = trunk.last_norm(r.sum);
    out.targets = trunk.head(r.target);
    return out;
  }

  /// `out` holds the gradients of the logits.
  void backward(const transformer<Scalar>& trunk, std::span<const token> tokens, std::span<const std::size_t> order,
                const record& r, const output& out, std::span<Scalar> gradient) const {
    const std::size_t n = tokens.size();
    const std::size_t d = causal_.width;
    const verify_layout& verify = layout_.verify;
    const auto into = [&](const parameter& p) { return gradient.data() + p.offset; };
    values<Scalar> dlast(n * d);  // by position

    const values<Scalar> dsum = trunk.head_backward(r.sum, r.target, out.targets, gradient);
    if (config_.residual == output_residual::on)
      for (std::size_t t = 0; t < n; ++t)
        for (std::size_t i = 0; i < d; ++i) dlast[order[t] * d + i] += dsum[t * d + i];
    const values<Scalar> dnormed =
        linear_backward(n, d, d, r.normed, at(verify.out_weight), dsum, into(verify.out_weight), into(verify.out_bias));
    values<Scalar> dx = norm_backward(n, d, r.causal, at(verify.norm_weight), causal_.norm == norm_kind::layer, epsilon(),
                                      dnormed, into(verify.norm_weight), into(verify.norm_bias));
    const transformer_config masked = with_causal_relation(n);
    for (std::size_t k = causal_.depth; k-- > 0;)
      block_backward(
          causal_, verify.blocks[k], values_.data(), r.blocks[k],
          [&](const values<Scalar>& qkv, const values<Scalar>& probabilities, const values<Scalar>& dattended) {
            values<Scalar> dqkv = attention_backward(masked, n, qkv, probabilities, dattended, static_cast<Scalar*>(nullptr));
            turn(order, Scalar{-1}, dqkv);
            return dqkv;
          },
          dx, gradient.data());
    for (std::size_t t = 0; t < n; ++t)
      for (std::size_t i = 0; i < d; ++i) {
        const Scalar v = dx[t * d + i];
        if (t == 0)
          into(verify.start)[i] += v;
        else
          into(layout_.trunk.token_embedding)[static_cast<std::size_t>(tokens[order[t - 1]]) * d + i] += v;
        if (verify.carried_position && t > 0) into(*verify.carried_position)[order[t - 1] * d + i] += v;
        if (verify.next_position) into(*verify.next_position)[order[t] * d + i] += v;
      }
    const values<Scalar> dpairs =
        linear_backward(n, 2 * d, d, r.pairs, at(verify.join_weight), dx, into(verify.join_weight), into(verify.join_bias));

    values<Scalar> dhidden(n * d);  // by position
    for (std::size_t t = 0; t < n; ++t)
      for (std::size_t i = 0; i < d; ++i) {
        if (t > 0) dhidden[order[t - 1] * d + i] += dpairs[t * 2 * d + i];
        dhidden[order[t] * d + i] += dpairs[t * 2 * d + d + i];
      }
    values<Scalar> drafted(n * d);  // x by track
    for (std::size_t t = 0; t < n; ++t)
      for (std::size_t i = 0; i < d; ++i) drafted[t * d + i] = r.trunk.last[order[t] * d + i];
    const values<Scalar> ddrafted = trunk.head_backward(drafted, r.drafted, out.drafts, gradient);
    const values<Scalar> through_norm = trunk.last_norm_backward(r.trunk.last, dhidden, gradient);
    for (std::size_t i = 0; i < n * d; ++i) dlast[i] += through_norm[i];
    for (std::size_t t = 0; t < n; ++t)
      for (std::size_t i = 0; i < d; ++i) dlast[order[t] * d + i] += ddrafted[t * d + i];
    trunk.trunk_backward(r.inputs, r.trunk, std::move(dlast), gradient);
  }

  hybrid_config config_;
  transformer_config causal_;
  hybrid_layout layout_;
  values<Scalar> values_;
};

}  // namespace lacuna::nn::reference
