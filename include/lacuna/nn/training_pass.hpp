/// @file
/// @brief Loss and gradient of a transformer over a batch of examples.
///
/// Rows are taken in small groups, so that a group's activations stay in the cache and memory does not grow with the batch.
/// Threads take rows of their own where these can be dealt out evenly; where they cannot (one long row), all share the tokens
/// of each group and meet three times a block, around the attention. Each has a gradient buffer of its own, and the buffers are
/// added in a fixed order: the result is deterministic for a given number of threads. Only positions with a weight go through
/// the head.
///
/// Cost: three forward passes. Memory: for each thread the parameters once more and depth x group x (8 D + 2 U) floats.
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
#include "lacuna/nn/relation_scores.hpp"
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
    if (config_.relation)
      expand_relations(config_, layout_, values, scores_.reserve(config_.depth * relation_score_count(config_)));
    lay_out_transposes();
    team_->run([&](std::size_t i) {
      prepare(i, gradient.data());
      for (std::size_t l = i; l < config_.own_blocks(); l += threads)
        transpose_block(config_, {layout_.blocks[l], values}, transposes_[l]);
    });
    if (rows_can_be_dealt(batch)) {
      team_->run([&](std::size_t i) {
        const std::size_t end = first_row(batch, i + 1);
        for (std::size_t first = first_row(batch, i); first < end;) {
          const std::size_t last = group_end(batch, first, end, 1);
          workers_[i].rows.lay_out(config_, batch, first, last, 1);
          group(workers_[i], workers_[i].rows, {}, no_meeting{}, values, batch);
          first = last;
        }
      });
    } else {
      for (std::size_t first = 0; first < batch.rows();) {
        const std::size_t last = group_end(batch, first, batch.rows(), threads);
        row_group& shared = workers_[0].rows;
        shared.lay_out(config_, batch, first, last, threads);
        team_->run([&](std::size_t i) {
          group(
              workers_[i], shared, {i, threads}, [this] { team_->meet(); }, values, batch);
        });
        first = last;
      }
    }
    team_->run([&](std::size_t i) { sum({i, threads}, gradient.data()); });
    double loss = 0.0;
    for (const worker& w : workers_) loss += w.loss;
    return loss;
  }

 private:
  /// Rows that go forward and backward together.
  struct row_group {
    std::size_t start = 0;             ///< first token in the batch
    std::vector<std::size_t> offsets;  ///< from 0
    std::vector<std::size_t> wanted;   ///< tokens of the group with a weight
    std::size_t head_rows = 0;         ///< rows of logits a thread holds at a time
    training_memory memory;

    void lay_out(const transformer_config& c, const example_batch& batch, std::size_t first, std::size_t last,
                 std::size_t threads) {
      start = batch.offsets[first];
      offsets.clear();
      for (std::size_t b = first; b <= last; ++b) offsets.push_back(batch.offsets[b] - start);
      wanted.clear();
      for (std::size_t n = 0; n < offsets.back(); ++n)
        if (batch.weights[start + n] != 0.0F || !batch.hidden_gradient.empty()) wanted.push_back(n);
      if (wanted.empty()) return;
      head_rows = std::clamp<std::size_t>((std::size_t{1} << 20U) / c.vocabulary, 1, wanted.size());
      memory.lay_out(c, offsets, wanted.size(), head_rows, threads);
    }
  };

  struct worker {
    row_group rows;
    buffer own_gradient;
    buffer own_dscores;
    float* gradient = nullptr;  ///< the caller's for thread 0, own_gradient for the others
    float* dscores = nullptr;
    double loss = 0.0;
  };

  /// Tokens in a group, for each thread that shares it: large enough that weights are worth packing, small enough that
  /// activations stay in the cache.
  static constexpr std::size_t group_tokens = 512;
  static std::size_t group_end(const example_batch& batch, std::size_t first, std::size_t end, std::size_t threads) {
    std::size_t last = first + 1;
    while (last < end && batch.offsets[last + 1] - batch.offsets[first] <= group_tokens * threads) ++last;
    return last;
  }

  /// First row of thread i's own rows.
  [[nodiscard]] std::size_t first_row(const example_batch& batch, std::size_t i) const {
    if (i == team_->size()) return batch.rows();
    const std::size_t target = batch.inputs.size() * i / team_->size();
    const auto* at = std::lower_bound(batch.offsets.data(), batch.offsets.data() + batch.rows(), target);
    return static_cast<std::size_t>(at - batch.offsets.data());
  }
  /// Whether no thread's own rows have a quarter more tokens than the average.
  [[nodiscard]] bool rows_can_be_dealt(const example_batch& batch) const {
    const std::size_t threads = team_->size();
    for (std::size_t i = 0; i < threads; ++i) {
      const std::size_t mine = batch.offsets[first_row(batch, i + 1)] - batch.offsets[first_row(batch, i)];
      if (4 * mine * threads > 5 * batch.inputs.size()) return false;
    }
    return true;
  }

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
    if (!batch.hidden_gradient.empty())
      expect(batch.hidden_gradient.size(), batch.inputs.size() * config_.width, "numbers of hidden states' gradients");
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

  void lay_out_transposes() {
    transposes_.resize(config_.own_blocks());
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

  /// Clears thread i's sums.
  void prepare(std::size_t i, float* gradient) {
    worker& me = workers_[i];
    me.loss = 0.0;
    me.gradient = gradient;
    if (i != 0) {
      me.gradient = me.own_gradient.reserve(parameter_count_);
      std::fill_n(me.gradient, parameter_count_, 0.0F);
    }
    if (config_.relation) {
      const std::size_t count = config_.depth * relation_score_count(config_);
      me.dscores = me.own_dscores.reserve(count);
      std::fill_n(me.dscores, count, 0.0F);
    }
  }

  /// Adds the threads' sums to the caller's gradient, in the order of the threads.
  void sum(const share& mine, float* gradient) {
    expand_relations_backward(config_, layout_, workers_[mine.index].dscores, workers_[mine.index].gradient);
    team_->meet();
    const std::size_t begin = mine.begin(parameter_count_);
    for (std::size_t t = 1; t < mine.count; ++t)
      simd::map(
          mine.end(parameter_count_) - begin, gradient + begin, [](const auto& a, const auto& b) { return simd::add(a, b); },
          gradient + begin, workers_[t].gradient + begin);
  }

  /// A thread's share of forward and backward over a group.
  template <class Meet>
  void group(worker& me, const row_group& rows, const share& mine, const Meet& meet, const float* values,
             const example_batch& batch) {
    if (rows.wanted.empty()) return;
    const transformer_config& c = config_;
    const std::size_t d = c.width;
    const std::size_t start = rows.start;
    const std::span<const std::size_t> offsets{rows.offsets};
    const training_memory& m = rows.memory;
    const auto for_my_tokens = [&](const auto& f) {
      for_shared_rows(offsets, mine, [&](std::size_t, std::size_t row, std::size_t, std::size_t from, std::size_t to) {
        for (std::size_t l = from; l < to; ++l) f(row + l, l);
      });
    };

    for_my_tokens(
        [&](std::size_t n, std::size_t l) { embed(c, layout_, values, batch.inputs[start + n], l, m.records[0].x + n * d); });
    const rotary_table* rotary = c.positions == positions::rotary ? &rotary_ : nullptr;
    for (std::size_t l = 0; l < c.depth; ++l) {
      const attention_scores<float> s = relation_scores_in(c, scores_.data(), l);
      block_forward(c, {layout_.blocks[l], values}, offsets, {s.data, s.rows, s.stride}, rotary, m.records[l],
                    l + 1 < c.depth ? m.records[l + 1].x : m.last, mine, meet);
    }
    me.loss += head(me, rows, mine, values, batch);
    for (std::size_t l = c.depth; l-- > 0;)
      block_backward(c, {layout_.blocks[l], values}, transposes_[l % c.own_blocks()], offsets, rotary, m.records[l], m.scratch,
                     m.dx, {layout_.blocks[l], me.gradient}, relation_scores_in(c, me.dscores, l), mine, meet);
    for_my_tokens([&](std::size_t n, std::size_t l) {
      embed_backward(c, layout_, batch.inputs[start + n], l, m.dx + n * d, me.gradient);
    });
  }

  /// The loss of position n of the batch; its V logits become its gradient.
  double loss_in_place(const example_batch& batch, std::size_t n, float* logits) const {
    const float weight = batch.weights[n];
    if (weight == 0.0F) {  // wanted for the gradient of its hidden state alone
      std::fill_n(logits, config_.vocabulary, 0.0F);
      return 0;
    }
    const auto target = static_cast<std::size_t>(batch.targets[n]);
    if (batch.loss == position_loss::cross_entropy) return cross_entropy_in_place(config_.vocabulary, target, weight, logits);
    const double value = static_cast<double>(weight) * static_cast<double>(logits[target]);
    std::fill_n(logits, config_.vocabulary, 0.0F);
    logits[target] = weight;
    return value;
  }

  /// From the last block's output to the loss and back, at my wanted positions.
  double head(worker& me, const row_group& rows, const share& mine, const float* values, const example_batch& batch) {
    const transformer_config& c = config_;
    const std::size_t d = c.width;
    const training_memory& m = rows.memory;
    const std::vector<std::size_t>& wanted = rows.wanted;
    const std::size_t head_rows = rows.head_rows;
    const std::size_t begin = mine.begin(rows.offsets.back());
    const std::size_t end = mine.end(rows.offsets.back());
    const auto place = [&](std::size_t n) {
      return static_cast<std::size_t>(std::lower_bound(wanted.begin(), wanted.end(), n) - wanted.begin());
    };
    const std::size_t from = place(begin);
    const std::size_t count = place(end) - from;
    float* picked = m.picked + from * d;
    float* dpicked = m.dpicked + from * d;
    float* hidden = m.hidden + from * d;
    float* dhidden = m.dhidden + from * d;
    float* statistics = m.statistics + 2 * from;
    float* logits = m.logits + mine.index * head_rows * c.vocabulary;

    for (std::size_t k = 0; k < count; ++k) std::copy_n(m.last + wanted[from + k] * d, d, picked + k * d);
    const float* norm_bias = layout_.norm_bias.size == 0 ? nullptr : values + layout_.norm_bias.offset;
    norm_forward(count, d, picked, values + layout_.norm_weight.offset, norm_bias, c.norm_epsilon, hidden, statistics);
    double loss = 0.0;
    for (std::size_t k = 0; k < count; k += head_rows) {
      const std::size_t some = std::min(head_rows, count - k);
      head_forward(c, layout_, values, some, hidden + k * d, logits, 0, c.vocabulary);
      for (std::size_t r = 0; r < some; ++r) {
        const std::size_t n = rows.start + wanted[from + k + r];
        loss += loss_in_place(batch, n, logits + r * c.vocabulary);
      }
      head_backward(c, layout_, values, some, hidden + k * d, logits, dhidden + k * d, me.gradient);
      if (batch.hidden_gradient.empty()) continue;
      for (std::size_t r = 0; r < some; ++r) {
        const float* more = batch.hidden_gradient.data() + (rows.start + wanted[from + k + r]) * d;
        simd::map(
            d, dhidden + (k + r) * d, [](const auto& a, const auto& b) { return simd::add(a, b); }, dhidden + (k + r) * d,
            more);
      }
    }
    std::fill_n(dpicked, count * d, 0.0F);
    norm_backward(count, d, picked, statistics, values + layout_.norm_weight.offset, dhidden, dpicked,
                  me.gradient + layout_.norm_weight.offset,
                  norm_bias == nullptr ? nullptr : me.gradient + layout_.norm_bias.offset);
    std::fill_n(m.dx + begin * d, (end - begin) * d, 0.0F);
    for (std::size_t k = 0; k < count; ++k) std::copy_n(dpicked + k * d, d, m.dx + wanted[from + k] * d);
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
