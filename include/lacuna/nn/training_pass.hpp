/// @file
/// @brief Loss and gradient of a transformer over a batch of examples.
///
/// Rows are taken in small groups, so that a group's activations stay in the cache and memory does not grow with the batch;
/// with T threads each takes a contiguous share of the rows and a gradient buffer of its own, and the buffers are added in a
/// fixed order: the result is deterministic for a given number of threads. Only positions with a weight go through the head.
///
/// Cost: three forward passes. Memory: for each thread the parameters once more and about depth x group x (8 D + 2 U) floats.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "lacuna/core/errors.hpp"
#include "lacuna/nn/block.hpp"
#include "lacuna/nn/buffer.hpp"
#include "lacuna/nn/config.hpp"
#include "lacuna/nn/embedding.hpp"
#include "lacuna/nn/example_batch.hpp"
#include "lacuna/nn/head.hpp"
#include "lacuna/nn/layout.hpp"
#include "lacuna/nn/loss.hpp"
#include "lacuna/nn/parameters.hpp"
#include "lacuna/nn/threads.hpp"
#include "lacuna/nn/training_memory.hpp"

namespace lacuna::nn {

/// `training_pass pass{config, 2}; double loss = pass(model.parameters(), batch, gradient);`
class training_pass {
 public:
  explicit training_pass(transformer_config config, std::size_t threads = 1) : config_{std::move(config)} {
    check(config_);
    parameters shape;
    layout_ = transformer_layout::add_to(shape, config_);
    parameter_count_ = shape.values().size();
    if (config_.positions == positions::rotary) rotary_ = {config_.max_length, config_.head_width(), config_.rotary_base};
    set_threads(threads);
  }

  void set_threads(std::size_t threads) {
    if (threads == 0) throw invalid_argument("training_pass: got 0 threads, expected at least 1");
    team_ = std::make_unique<thread_team>(threads);
    workers_.resize(threads);
  }

  /// Returns sum of weight x cross-entropy and adds its gradient to `gradient`, which has the layout of the parameters.
  double operator()(const parameters& p, const example_batch& batch, std::span<float> gradient) {
    check_arguments(p, batch, gradient);
    const float* values = p.values().data();
    const std::size_t threads = team_->size();
    if (config_.relation) expand_scores(values);
    lay_out_transposes();
    team_->run([&](std::size_t i) {
      for (std::size_t l = i; l < config_.depth; l += threads)
        transpose_block(config_, {layout_.blocks[l], values}, transposes_[l]);
    });
    team_->run([&](std::size_t i) { workers_[i].loss = work(i, values, batch, gradient); });
    double loss = workers_[0].loss;
    for (std::size_t i = 1; i < threads; ++i) loss += workers_[i].loss;
    return loss;
  }

 private:
  struct worker {
    training_memory memory;
    buffer gradient;
    buffer dscores;
    double loss = 0.0;
    std::vector<std::size_t> wanted;
    std::vector<std::size_t> offsets;
  };

  /// Tokens in a group of rows: large enough that weights are worth packing, small enough that activations stay in the cache.
  static constexpr std::size_t group_tokens = 512;

  void check_arguments(const parameters& p, const example_batch& batch, std::span<const float> gradient) const {
    const auto expect = [](std::size_t got, std::size_t want, const char* what) {
      if (got != want)
        throw invalid_argument(std::string{"training_pass: got "} + std::to_string(got) + " " + what + ", expected " +
                               std::to_string(want));
    };
    expect(p.values().size(), parameter_count_, "parameters");
    expect(gradient.size(), parameter_count_, "gradient entries");
    if (batch.offsets.empty()) throw invalid_argument("training_pass: got no offsets, expected B + 1");
    expect(batch.offsets.front(), 0, "as first offset");
    expect(batch.offsets.back(), batch.inputs.size(), "as last offset");
    expect(batch.targets.size(), batch.inputs.size(), "targets");
    expect(batch.weights.size(), batch.inputs.size(), "weights");
    const auto in_vocabulary = [&](token t, std::size_t n, const char* what) {
      if (t < 0 || static_cast<std::size_t>(t) >= config_.vocabulary)
        throw invalid_argument(std::string{"training_pass: "} + what + " " + std::to_string(n) + " is " + std::to_string(t) +
                               ", expected 0.." + std::to_string(config_.vocabulary - 1));
    };
    for (std::size_t b = 0; b < batch.rows(); ++b)
      if (batch.offsets[b + 1] < batch.offsets[b] || batch.offsets[b + 1] - batch.offsets[b] > config_.max_length)
        throw invalid_argument("training_pass: row " + std::to_string(b) + " runs from " + std::to_string(batch.offsets[b]) +
                               " to " + std::to_string(batch.offsets[b + 1]) + ", expected a length of at most " +
                               std::to_string(config_.max_length));
    for (std::size_t n = 0; n < batch.inputs.size(); ++n) {
      in_vocabulary(batch.inputs[n], n, "input");
      if (!std::isfinite(batch.weights[n]))
        throw invalid_argument("training_pass: weight " + std::to_string(n) + " is " + std::to_string(batch.weights[n]) +
                               ", expected a finite number");
      if (batch.weights[n] != 0.0F) in_vocabulary(batch.targets[n], n, "target");
    }
  }

  [[nodiscard]] std::size_t score_count() const {
    return config_.heads * config_.max_length * simd::padded(config_.max_length);
  }
  [[nodiscard]] attention_scores<float> scores_in(float* base, std::size_t layer) const {
    if (base == nullptr) return {};
    return {base + layer * score_count(), config_.max_length, simd::padded(config_.max_length)};
  }

  void expand_scores(const float* values) {
    const std::size_t per_layer = config_.heads * config_.relation->count;
    float* base = scores_.reserve(config_.depth * score_count());
    for (std::size_t i = 0; i < config_.depth; ++i)
      for (std::size_t h = 0; h < config_.heads; ++h)
        expand_relation(config_, values + layout_.relation->offset + i * per_layer, config_.max_length, h, scores_in(base, i));
  }

  void lay_out_transposes() {
    transposes_.resize(config_.depth);
    const auto assign = [&](pieces p) {
      const std::size_t d = config_.width;
      for (block_transposes& t : transposes_) {
        t.qkv = p.take(3 * d * d);
        t.out = p.take(d * d);
        t.up = p.take(d * config_.up_width());
        t.down = p.take(d * config_.feed_forward);
      }
      return p.total();
    };
    const std::size_t total = assign(pieces{});
    assign(pieces{transposed_.reserve(total)});
  }

  /// First row of thread i's share: shares hold about the same number of tokens.
  [[nodiscard]] std::size_t first_row(const example_batch& batch, std::size_t i) const {
    const std::size_t target = batch.inputs.size() * i / team_->size();
    const auto* at = std::lower_bound(batch.offsets.data(), batch.offsets.data() + batch.rows(), target);
    return static_cast<std::size_t>(at - batch.offsets.data());
  }

  double work(std::size_t i, const float* values, const example_batch& batch, std::span<float> out) {
    worker& me = workers_[i];
    const std::size_t end = i + 1 == team_->size() ? batch.rows() : first_row(batch, i + 1);
    float* gradient = out.data();
    if (i != 0) {
      gradient = me.gradient.reserve(parameter_count_);
      std::fill_n(gradient, parameter_count_, 0.0F);
    }
    float* dscores = nullptr;
    if (config_.relation) {
      dscores = me.dscores.reserve(config_.depth * score_count());
      std::fill_n(dscores, config_.depth * score_count(), 0.0F);
    }
    double loss = 0.0;
    for (std::size_t row = first_row(batch, i); row < end;) {
      std::size_t last = row + 1;
      while (last < end && batch.offsets[last + 1] - batch.offsets[row] <= group_tokens) ++last;
      loss += group(me, values, batch, row, last, gradient, dscores);
      row = last;
    }
    if (config_.relation) {
      const std::size_t per_layer = config_.heads * config_.relation->count;
      for (std::size_t l = 0; l < config_.depth; ++l) {
        const attention_scores<float> s = scores_in(dscores, l);
        expand_relation_backward(config_, {s.data, s.rows, s.stride}, config_.max_length,
                                 gradient + layout_.relation->offset + l * per_layer);
      }
    }
    if (team_->size() > 1) {
      team_->meet();
      const std::size_t begin = parameter_count_ * i / team_->size();
      const std::size_t stop = parameter_count_ * (i + 1) / team_->size();
      for (std::size_t t = 1; t < team_->size(); ++t) {
        const float* other = workers_[t].gradient.data();
        for (std::size_t k = begin; k < stop; ++k) out[k] += other[k];
      }
    }
    return loss;
  }

  /// Forward and backward over the rows [first, last).
  double group(worker& me, const float* values, const example_batch& batch, std::size_t first, std::size_t last,
               float* gradient, float* dscores) {
    const transformer_config& c = config_;
    const std::size_t d = c.width;
    const std::size_t start = batch.offsets[first];
    const std::size_t tokens = batch.offsets[last] - start;
    me.offsets.clear();
    std::size_t probabilities = 0;
    std::size_t longest = 0;
    for (std::size_t b = first; b <= last; ++b) {
      me.offsets.push_back(batch.offsets[b] - start);
      if (b == first) continue;
      const std::size_t length = batch.offsets[b] - batch.offsets[b - 1];
      probabilities += c.heads * length * simd::padded(length);
      longest = std::max(longest, length);
    }
    me.wanted.clear();
    for (std::size_t n = 0; n < tokens; ++n)
      if (batch.weights[start + n] != 0.0F) me.wanted.push_back(n);
    if (me.wanted.empty()) return 0.0;
    const std::size_t wanted = me.wanted.size();
    const std::size_t head_rows = std::clamp<std::size_t>((std::size_t{1} << 20U) / c.vocabulary, 1, wanted);

    me.memory.lay_out(c, tokens, probabilities, longest, wanted, head_rows);
    const training_memory& m = me.memory;
    const std::span<const std::size_t> offsets{me.offsets};

    // Forward.
    for (std::size_t b = first; b < last; ++b)
      for (std::size_t n = batch.offsets[b]; n < batch.offsets[b + 1]; ++n)
        embed(c, layout_, values, batch.inputs[n], n - batch.offsets[b], m.records[0].x + (n - start) * d);
    const rotary_table* rotary = c.positions == positions::rotary ? &rotary_ : nullptr;
    for (std::size_t l = 0; l < c.depth; ++l) {
      const attention_scores<float> s = scores_in(scores_.data(), l);
      block_forward(c, {layout_.blocks[l], values}, offsets, {s.data, s.rows, s.stride}, rotary, m.records[l],
                    l + 1 < c.depth ? m.records[l + 1].x : m.last);
    }

    // Head, at the wanted positions only.
    for (std::size_t k = 0; k < wanted; ++k) std::copy_n(m.last + me.wanted[k] * d, d, m.picked + k * d);
    const float* norm_bias = layout_.norm_bias.size == 0 ? nullptr : values + layout_.norm_bias.offset;
    norm_forward(wanted, d, m.picked, values + layout_.norm_weight.offset, norm_bias, c.norm_epsilon, m.hidden, m.statistics);
    double loss = 0.0;
    for (std::size_t k = 0; k < wanted; k += head_rows) {
      const std::size_t rows = std::min(head_rows, wanted - k);
      head_forward(c, layout_, values, rows, m.hidden + k * d, m.logits, 0, c.vocabulary);
      for (std::size_t r = 0; r < rows; ++r) {
        const std::size_t n = start + me.wanted[k + r];
        loss += cross_entropy_in_place(c.vocabulary, static_cast<std::size_t>(batch.targets[n]), batch.weights[n],
                                       m.logits + r * c.vocabulary);
      }
      head_backward(c, layout_, values, rows, m.hidden + k * d, m.logits, m.dhidden + k * d, gradient);
    }
    std::fill_n(m.dpicked, wanted * d, 0.0F);
    norm_backward(wanted, d, m.picked, m.statistics, values + layout_.norm_weight.offset, m.dhidden, m.dpicked,
                  gradient + layout_.norm_weight.offset, norm_bias == nullptr ? nullptr : gradient + layout_.norm_bias.offset);
    std::fill_n(m.dx, tokens * d, 0.0F);
    for (std::size_t k = 0; k < wanted; ++k) std::copy_n(m.dpicked + k * d, d, m.dx + me.wanted[k] * d);

    // Backward.
    for (std::size_t l = c.depth; l-- > 0;)
      block_backward(c, {layout_.blocks[l], values}, transposes_[l], offsets, rotary, m.records[l], m.scratch, m.dx,
                     {layout_.blocks[l], gradient}, scores_in(dscores, l));
    for (std::size_t b = first; b < last; ++b)
      for (std::size_t n = batch.offsets[b]; n < batch.offsets[b + 1]; ++n)
        embed_backward(c, layout_, batch.inputs[n], n - batch.offsets[b], m.dx + (n - start) * d, gradient);
    return loss;
  }

  transformer_config config_;
  transformer_layout layout_;
  std::size_t parameter_count_ = 0;
  rotary_table rotary_;
  buffer scores_;
  buffer transposed_;
  std::vector<block_transposes> transposes_;
  std::unique_ptr<thread_team> team_;
  std::vector<worker> workers_;
};

}  // namespace lacuna::nn
