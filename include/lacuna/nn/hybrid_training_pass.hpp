/// @file
/// @brief Loss and gradient of a hybrid transformer: drafts and targets of a batch from one pass.
///
/// The trunk sees masks where nothing is revealed, the causal blocks the real tokens (Self-Speculative Masked Diffusions, arXiv
/// 2510.03929, section 3; the loss is that of nn/hybrid_examples.hpp). The tracks of the causal part, one for each position in
/// the row's order: track d carries the token at order[d - 1], track 0 a learned start, and predicts the one at order[d]:
///
/// | formula | meaning |
/// |---|---|
/// | h = norm(x) | x [L, D]: what the trunk's last block returns |
/// | u_d = [h_order[d-1]; h_order[d]] W + b + E[token at order[d-1]] | track 0: [0; h_order[0]] W + b + start |
/// | | with learned positions: + carried[order[d-1]] + next[order[d]] |
/// | c = causal blocks(u) | rotary: queries are turned by order[d], keys by order[d-1], by order[0] on track 0 |
/// | z_d = norm(c_d) W + b + x_order[d] | without the output residual: no x |
/// | target_d = head(norm(z_d)) | norm and head of the draft |
///
/// Threads take rows of their own, in groups whose activations stay in the cache; each has a gradient buffer, and these are
/// added in a fixed order: the result is deterministic for a given number of threads. Cost: three forward passes of all blocks
/// and two heads. Memory: for each thread the parameters once more and the activations of a group.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "lacuna/core/errors.hpp"
#include "lacuna/nn/block.hpp"
#include "lacuna/nn/buffer.hpp"
#include "lacuna/nn/causal_block.hpp"
#include "lacuna/nn/embedding.hpp"
#include "lacuna/nn/head.hpp"
#include "lacuna/nn/hybrid_config.hpp"
#include "lacuna/nn/hybrid_examples.hpp"
#include "lacuna/nn/hybrid_layout.hpp"
#include "lacuna/nn/loss.hpp"
#include "lacuna/nn/norm.hpp"
#include "lacuna/nn/parameters.hpp"
#include "lacuna/nn/relation_scores.hpp"
#include "lacuna/nn/threads.hpp"
#include "lacuna/nn/training_memory.hpp"

namespace lacuna::nn {

/// Which parameters learn: all, or those of the causal part on a trunk that stays as it is.
enum class trained_part { all, verifier };

/// `hybrid_training_pass pass{config, 2}; hybrid_loss loss = pass(parameters, examples, gradient);`
class hybrid_training_pass {
 public:
  explicit hybrid_training_pass(hybrid_config config, std::size_t threads = 1, trained_part part = trained_part::all)
      : config_{std::move(config)}, causal_{config_.causal()}, part_{part} {
    check(config_);
    if (threads == 0) throw invalid_argument("hybrid_training_pass: got 0 threads, expected at least 1");
    parameters shape;
    layout_ = hybrid_layout::add_to(shape, config_);
    parameter_count_ = shape.values().size();
    const transformer_config& c = config_.trunk;
    if (c.positions == positions::rotary) rotary_ = {c.max_length, c.head_width(), c.rotary_base};
    team_ = std::make_unique<thread_team>(threads);
    workers_.resize(threads);
  }

  /// The two parts of the loss, summed over the rows; their gradient is added to `gradient`, which has the layout of all
  /// parameters. Where only the causal part learns, the entries of the trunk stay as they are. An empty gradient: the loss
  /// alone. Throws invalid_argument for examples that do not fit.
  hybrid_loss operator()(const parameters& p, const hybrid_examples& examples, std::span<float> gradient) {
    check_arguments(p, examples, gradient);
    const float* values = p.values().data();
    const std::size_t threads = team_->size();
    if (config_.trunk.relation)
      expand_relations(config_.trunk, layout_.trunk, values,
                       scores_.reserve(config_.trunk.depth * relation_score_count(config_.trunk)));
    if (!gradient.empty()) make_transposes(values);
    const std::size_t learned_from = part_ == trained_part::all ? 0 : layout_.trunk_size;
    team_->run([&](std::size_t i) {
      worker& me = workers_[i];
      prepare(me, i == 0 ? gradient.data() : nullptr, gradient.size(), learned_from);
      const std::size_t end = first_row(examples, i + 1);
      for (std::size_t first = first_row(examples, i); first < end;) {
        const std::size_t last = group_end(examples, first, end);
        group(me, values, examples, first, last);
        first = last;
      }
      if (gradient.empty()) return;
      if (part_ == trained_part::all) expand_relations_backward(config_.trunk, layout_.trunk, me.dscores, me.gradient);
      team_->meet();
      const share mine{i, threads};
      const std::size_t count = parameter_count_ - learned_from;
      const std::size_t begin = learned_from + mine.begin(count);
      for (std::size_t t = 1; t < threads; ++t)
        simd::map(
            mine.end(count) - mine.begin(count), gradient.data() + begin,
            [](const auto& a, const auto& b) { return simd::add(a, b); }, gradient.data() + begin,
            workers_[t].gradient + begin);
    });
    hybrid_loss loss;
    for (const worker& w : workers_) {
      loss.draft += w.loss.draft;
      loss.target += w.loss.target;
    }
    return loss;
  }

 private:
  /// Tokens that go forward and backward together: large enough that weights are worth packing, small enough for the cache.
  static constexpr std::size_t group_tokens = 512;

  struct worker {
    training_memory trunk, causal;
    std::vector<token> inputs;               ///< [T] by position
    std::vector<std::size_t> carried, next;  ///< [T] by track: positions in the row; of track 0 both are order[0]
    std::vector<std::size_t> offsets;        ///< rows of the group
    std::vector<std::size_t> wanted;         ///< [rows + 1], see track_rows
    std::vector<std::size_t> everything;     ///< the same where all tracks are wanted
    std::vector<std::size_t> places;         ///< [W] the tokens of the group that are predicted, in the order of the tracks
    std::vector<token> targets;              ///< [W]
    std::vector<float> weights;              ///< [W]
    std::size_t head_rows = 0;               ///< rows of logits held at a time
    buffer memory;
    float *seen = nullptr, *dseen = nullptr;      ///< [T, D] after the trunk's last norm
    float* seen_statistics = nullptr;             ///< [T, 2]
    float *pairs = nullptr, *dpairs = nullptr;    ///< [T, 2D]
    float* dtracks = nullptr;                     ///< [T, D]
    float *sum = nullptr, *dsum = nullptr;        ///< [W, D] before the last norm of a target
    float* sum_statistics = nullptr;              ///< [W, 2]
    float *target = nullptr, *dtarget = nullptr;  ///< [W, D] after it
    float* unread = nullptr;                      ///< [2D] for gradients of a norm that does not learn
    buffer own_gradient, own_dscores;
    float* gradient = nullptr;  ///< the caller's for thread 0, own_gradient for the others; null: the loss alone
    float* dscores = nullptr;
    hybrid_loss loss;
  };

  void check_arguments(const parameters& p, const hybrid_examples& e, std::span<const float> gradient) const {
    const auto fail = [](const std::string& got, const std::string& expected) {
      throw invalid_argument("hybrid_training_pass: got " + got + ", expected " + expected);
    };
    const auto expect_count = [&](std::size_t got, std::size_t count, const char* what) {
      if (got != count) fail(std::to_string(got) + " " + what, std::to_string(count));
    };
    expect_count(p.values().size(), parameter_count_, "parameters");
    if (!gradient.empty()) expect_count(gradient.size(), parameter_count_, "gradient entries");
    expect_count(e.offsets.size(), e.rows() + 1, "offsets");
    expect_count(e.offsets.front(), 0, "as first offset");
    expect_count(e.offsets.back(), e.tokens.size(), "as last offset");
    expect_count(e.orders.size(), e.tokens.size(), "places of orders");
    for (std::size_t n = 0; n < e.tokens.size(); ++n)
      if (e.tokens[n] < 0 || static_cast<std::size_t>(e.tokens[n]) >= config_.trunk.vocabulary)
        fail("token " + std::to_string(n) + " = " + std::to_string(e.tokens[n]),
             "0.." + std::to_string(config_.trunk.vocabulary - 1));
    std::vector<std::size_t> row_with(config_.trunk.max_length, 0);  // the last row whose order has a position, from 1
    for (std::size_t b = 0; b < e.rows(); ++b) {
      if (e.offsets[b + 1] < e.offsets[b] || e.offsets[b + 1] - e.offsets[b] > config_.trunk.max_length)
        fail("row " + std::to_string(b) + " from " + std::to_string(e.offsets[b]) + " to " + std::to_string(e.offsets[b + 1]),
             "a length of at most " + std::to_string(config_.trunk.max_length));
      const std::size_t length = e.offsets[b + 1] - e.offsets[b];
      if (e.revealed[b] >= length)
        fail(std::to_string(e.revealed[b]) + " revealed tokens in row " + std::to_string(b),
             "less than its length " + std::to_string(length));
      for (const std::size_t position : e.orders.subspan(e.offsets[b], length)) {
        if (position >= length || row_with[position] == b + 1)
          fail("position " + std::to_string(position) + (position < length ? " twice" : "") + " in the order of row " +
                   std::to_string(b),
               "a permutation of 0.." + std::to_string(length - 1));
        row_with[position] = b + 1;
      }
    }
  }

  /// First row of thread i's own rows.
  [[nodiscard]] std::size_t first_row(const hybrid_examples& e, std::size_t i) const {
    if (i == team_->size()) return e.rows();
    const std::size_t target = e.tokens.size() * i / team_->size();
    const auto* at = std::lower_bound(e.offsets.data(), e.offsets.data() + e.rows(), target);
    return static_cast<std::size_t>(at - e.offsets.data());
  }
  static std::size_t group_end(const hybrid_examples& e, std::size_t first, std::size_t end) {
    std::size_t last = first + 1;
    while (last < end && e.offsets[last + 1] - e.offsets[first] <= group_tokens) ++last;
    return last;
  }

  void make_transposes(const float* values) {
    const std::size_t d = config_.trunk.width;
    trunk_transposes_.resize(part_ == trained_part::all ? config_.trunk.own_blocks() : 0);
    causal_transposes_.resize(config_.causal_depth);
    const auto assign = [&](pieces p) {
      for (auto* list : {&trunk_transposes_, &causal_transposes_})
        for (block_transposes& t : *list) {
          t.qkv = p.take(3 * d * d);
          t.out = p.take(d * d);
          t.up = p.take(config_.trunk.up_width() * d);
          t.down = p.take(d * config_.trunk.feed_forward);
        }
      join_transposed_ = p.take(2 * d * d);
      out_transposed_ = p.take(d * d);
      return p.total();
    };
    const std::size_t total = assign(pieces{});
    assign(pieces{transposed_.reserve(total)});
    for (std::size_t l = 0; l < trunk_transposes_.size(); ++l)
      transpose_block(config_.trunk, {layout_.trunk.blocks[l], values}, trunk_transposes_[l]);
    for (std::size_t l = 0; l < causal_transposes_.size(); ++l)
      transpose_block(causal_, {layout_.verify.blocks[l], values}, causal_transposes_[l]);
    transpose(2 * d, d, values + layout_.verify.join_weight.offset, join_transposed_);
    transpose(d, d, values + layout_.verify.out_weight.offset, out_transposed_);
  }

  /// Clears a thread's sums.
  void prepare(worker& me, float* gradient, std::size_t count, std::size_t learned_from) const {
    me.loss = {};
    me.gradient = gradient;
    if (gradient == nullptr && count != 0) {
      me.gradient = me.own_gradient.reserve(count);
      std::fill(me.gradient + learned_from, me.gradient + count, 0.0F);
    }
    if (config_.trunk.relation && count != 0 && learned_from == 0) {
      const std::size_t scores = config_.trunk.depth * relation_score_count(config_.trunk);
      me.dscores = me.own_dscores.reserve(scores);
      std::fill_n(me.dscores, scores, 0.0F);
    }
  }

  /// Lists what the group's rows want and makes room for it.
  void lay_out(worker& me, const hybrid_examples& e, std::size_t first, std::size_t last) const {
    const transformer_config& c = config_.trunk;
    const std::size_t start = e.offsets[first];
    const std::size_t tokens = e.offsets[last] - start;
    for (auto* list : {&me.offsets, &me.wanted, &me.places}) list->clear();
    me.targets.clear();
    me.weights.clear();
    me.inputs.assign(tokens, c.mask_token);
    me.carried.resize(tokens);
    me.next.resize(tokens);
    for (std::size_t b = first; b < last; ++b) {
      const std::size_t begin = e.offsets[b] - start;
      const std::size_t length = e.offsets[b + 1] - e.offsets[b];
      const std::size_t* order = e.orders.data() + e.offsets[b];
      const token* row = e.tokens.data() + e.offsets[b];
      me.offsets.push_back(begin);
      me.wanted.push_back(me.places.size());
      for (std::size_t t = 0; t < length; ++t) {
        me.next[begin + t] = order[t];
        me.carried[begin + t] = order[t == 0 ? 0 : t - 1];
        if (t < e.revealed[b]) {
          me.inputs[begin + order[t]] = row[order[t]];
        } else {
          me.places.push_back(begin + order[t]);
          me.targets.push_back(row[order[t]]);
          me.weights.push_back(static_cast<float>(length) / static_cast<float>(length - e.revealed[b]));
        }
      }
    }
    me.offsets.push_back(tokens);
    me.wanted.push_back(me.places.size());
    me.everything = me.offsets;
    const std::size_t wanted = me.places.size();
    me.head_rows = std::clamp<std::size_t>((std::size_t{1} << 20U) / c.vocabulary, 1, wanted);
    me.trunk.lay_out(c, me.offsets, wanted, me.head_rows, 1);
    me.causal.lay_out(causal_, me.offsets, wanted, 0, 1);
    const auto assign = [&](pieces p) {
      for (float** wide : {&me.seen, &me.dseen, &me.dtracks}) *wide = p.take(tokens * c.width);
      for (float** wide : {&me.pairs, &me.dpairs}) *wide = p.take(tokens * 2 * c.width);
      for (float** wide : {&me.sum, &me.dsum, &me.target, &me.dtarget}) *wide = p.take(wanted * c.width);
      me.seen_statistics = p.take(tokens * 2);
      me.sum_statistics = p.take(wanted * 2);
      me.unread = p.take(2 * c.width);
      return p.total();
    };
    const std::size_t total = assign(pieces{});
    assign(pieces{me.memory.reserve(total)});
  }

  /// How far the gradient of a head goes: nowhere, to the hidden states, or to the projection too.
  enum class reach { loss, hidden, projection };

  /// Cross-entropies of the wanted tokens given hidden states [W, D].
  double head(const worker& me, const float* values, const float* hidden, float* dhidden, reach how_far) const {
    const transformer_config& c = config_.trunk;
    const std::size_t d = c.width;
    const std::size_t wanted = me.places.size();
    float* logits = me.trunk.logits;
    double loss = 0;
    for (std::size_t k = 0; k < wanted; k += me.head_rows) {
      const std::size_t some = std::min(me.head_rows, wanted - k);
      head_forward(c, layout_.trunk, values, some, hidden + k * d, logits, 0, c.vocabulary);
      for (std::size_t r = 0; r < some; ++r)
        loss += cross_entropy_in_place(c.vocabulary, static_cast<std::size_t>(me.targets[k + r]), me.weights[k + r],
                                       logits + r * c.vocabulary);
      if (how_far == reach::projection)
        head_backward(c, layout_.trunk, values, some, hidden + k * d, logits, dhidden + k * d, me.gradient);
      else if (how_far == reach::hidden)
        head_backward_input(c, layout_.trunk, values, some, logits, dhidden + k * d);
    }
    return loss;
  }

  void add_row(const float* from, float* to) const {
    simd::map(
        config_.trunk.width, to, [](const auto& a, const auto& b) { return simd::add(a, b); }, to, from);
  }
  template <class Float>
  static Float* bias_of(const parameter& p, Float* base) {
    return p.size == 0 ? nullptr : base + p.offset;
  }

  /// f(row r of the group, its first token, track of the group) for every track.
  template <class F>
  static void for_each_track(const worker& me, const F& f) {
    for (std::size_t r = 0; r + 1 < me.offsets.size(); ++r)
      for (std::size_t t = me.offsets[r]; t < me.offsets[r + 1]; ++t) f(me.offsets[r], t);
  }

  /// Forward and backward of the rows [first, last).
  void group(worker& me, const float* values, const hybrid_examples& e, std::size_t first, std::size_t last) const {
    lay_out(me, e, first, last);
    const bool learns = me.gradient != nullptr;
    const reach to_draft =
        !learns || part_ == trained_part::verifier ? reach::loss : reach::projection;  // of a trunk that stays as it is
    const reach to_target = !learns ? reach::loss : (part_ == trained_part::all ? reach::projection : reach::hidden);
    draft_forward(me, values);
    me.loss.draft += head(me, values, me.trunk.hidden, me.trunk.dhidden, to_draft);
    target_forward(me, values, e.tokens.data() + e.offsets[first]);
    me.loss.target += head(me, values, me.target, me.dtarget, to_target);
    if (!learns) return;
    target_backward(me, values, e.tokens.data() + e.offsets[first]);
    if (part_ == trained_part::all) draft_backward(me, values);
  }

  [[nodiscard]] const rotary_table* rotary() const { return config_.trunk.positions == positions::rotary ? &rotary_ : nullptr; }
  [[nodiscard]] rotation by_track(const worker& me) const {
    return rotary() == nullptr ? rotation{} : rotation{rotary_, me.next.data(), me.carried.data()};
  }
  /// Only the last block can do without the tracks that are not wanted: the others' give it keys and values.
  [[nodiscard]] track_rows rows_of(const worker& me, std::size_t layer) const {
    return {me.offsets, layer + 1 == causal_.depth ? me.wanted : me.everything};
  }

  /// The trunk, and the hidden states of the positions to be drafted, in trunk.hidden.
  void draft_forward(worker& me, const float* values) const {
    const transformer_config& c = config_.trunk;
    const std::size_t d = c.width;
    const training_memory& trunk = me.trunk;
    for (std::size_t r = 0; r + 1 < me.offsets.size(); ++r)
      for (std::size_t n = me.offsets[r]; n < me.offsets[r + 1]; ++n)
        embed(c, layout_.trunk, values, me.inputs[n], n - me.offsets[r], trunk.records[0].x + n * d);
    for (std::size_t l = 0; l < c.depth; ++l) {
      const attention_scores<float> s = relation_scores_in(c, c.relation ? scores_.data() : nullptr, l);
      block_forward(c, {layout_.trunk.blocks[l], values}, me.offsets, {s.data, s.rows, s.stride}, rotary(), trunk.records[l],
                    l + 1 < c.depth ? trunk.records[l + 1].x : trunk.last);
    }
    norm_forward(me.inputs.size(), d, trunk.last, values + layout_.trunk.norm_weight.offset,
                 bias_of(layout_.trunk.norm_bias, values), c.norm_epsilon, me.seen, me.seen_statistics);
    for (std::size_t k = 0; k < me.places.size(); ++k) std::copy_n(me.seen + me.places[k] * d, d, trunk.hidden + k * d);
  }

  /// The causal part, and the hidden states of the targets, in me.target.
  void target_forward(worker& me, const float* values, const token* tokens) const {
    const transformer_config& c = config_.trunk;
    const verify_layout& verify = layout_.verify;
    const std::size_t d = c.width;
    const std::size_t wanted = me.places.size();
    const training_memory& causal = me.causal;
    for_each_track(me, [&](std::size_t row, std::size_t t) {
      float* pair = me.pairs + t * 2 * d;
      if (t == row)
        std::fill_n(pair, d, 0.0F);
      else
        std::copy_n(me.seen + (row + me.carried[t]) * d, d, pair);
      std::copy_n(me.seen + (row + me.next[t]) * d, d, pair + d);
    });
    float* u = causal.records[0].x;
    linear_forward(me.inputs.size(), 2 * d, d, me.pairs, values + verify.join_weight.offset, values + verify.join_bias.offset,
                   u);
    for_each_track(me, [&](std::size_t row, std::size_t t) {
      add_row(values + carried_embedding(me, tokens, row, t), u + t * d);
      if (verify.carried_position && t != row) add_row(values + verify.carried_position->offset + me.carried[t] * d, u + t * d);
      if (verify.next_position) add_row(values + verify.next_position->offset + me.next[t] * d, u + t * d);
    });
    for (std::size_t l = 0; l < causal_.depth; ++l)
      causal_block_forward(causal_, {verify.blocks[l], values}, rows_of(me, l), by_track(me), causal.records[l],
                           l + 1 < causal_.depth ? causal.records[l + 1].x : causal.picked);
    norm_forward(wanted, d, causal.picked, values + verify.norm_weight.offset, bias_of(verify.norm_bias, values),
                 c.norm_epsilon, causal.hidden, causal.statistics);
    if (config_.residual == output_residual::on) {
      for (std::size_t k = 0; k < wanted; ++k) std::copy_n(me.trunk.last + me.places[k] * d, d, me.sum + k * d);
      linear_forward_onto(wanted, d, d, causal.hidden, values + verify.out_weight.offset, values + verify.out_bias.offset,
                          me.sum, me.sum);
    } else {
      linear_forward(wanted, d, d, causal.hidden, values + verify.out_weight.offset, values + verify.out_bias.offset, me.sum);
    }
    norm_forward(wanted, d, me.sum, values + layout_.trunk.norm_weight.offset, bias_of(layout_.trunk.norm_bias, values),
                 c.norm_epsilon, me.target, me.sum_statistics);
  }

  /// Where the embedding of what track t carries lies among the parameters.
  [[nodiscard]] std::size_t carried_embedding(const worker& me, const token* tokens, std::size_t row, std::size_t t) const {
    if (t == row) return layout_.verify.start.offset;
    return layout_.trunk.token_embedding.offset + static_cast<std::size_t>(tokens[row + me.carried[t]]) * config_.trunk.width;
  }

  /// From me.dtarget to me.dsum and me.dpairs.
  void target_backward(worker& me, const float* values, const token* tokens) const {
    const transformer_config& c = config_.trunk;
    const verify_layout& verify = layout_.verify;
    const std::size_t d = c.width;
    const std::size_t wanted = me.places.size();
    const bool whole = part_ == trained_part::all;
    const training_memory& causal = me.causal;
    float* g = me.gradient;
    const parameter& norm_weight = layout_.trunk.norm_weight;
    const parameter& norm_bias = layout_.trunk.norm_bias;
    std::fill_n(me.dsum, wanted * d, 0.0F);
    if (whole) {
      norm_backward(wanted, d, me.sum, me.sum_statistics, values + norm_weight.offset, me.dtarget, me.dsum,
                    g + norm_weight.offset, bias_of(norm_bias, g));
    } else {
      std::fill_n(me.unread, 2 * d, 0.0F);
      norm_backward(wanted, d, me.sum, me.sum_statistics, values + norm_weight.offset, me.dtarget, me.dsum, me.unread,
                    norm_bias.size == 0 ? nullptr : me.unread + d);
    }
    linear_backward_weight(wanted, d, d, causal.hidden, me.dsum, g + verify.out_weight.offset, g + verify.out_bias.offset);
    linear_backward_input(wanted, d, d, me.dsum, out_transposed_, causal.dhidden);
    std::fill_n(causal.dpicked, wanted * d, 0.0F);
    norm_backward(wanted, d, causal.picked, causal.statistics, values + verify.norm_weight.offset, causal.dhidden,
                  causal.dpicked, g + verify.norm_weight.offset, bias_of(verify.norm_bias, g));
    float* dy = causal.dpicked;
    for (std::size_t l = causal_.depth; l-- > 0;) {
      float* dx = dy == me.dtracks ? causal.dx : me.dtracks;
      causal_block_backward(causal_, {verify.blocks[l], values}, causal_transposes_[l], rows_of(me, l), by_track(me),
                            causal.records[l], me.trunk.scratch, dy, dx, {verify.blocks[l], g});
      dy = dx;
    }
    const float* du = dy;
    for_each_track(me, [&](std::size_t row, std::size_t t) {
      const float* of_track = du + t * d;
      if (whole || t == row) add_row(of_track, g + carried_embedding(me, tokens, row, t));
      if (verify.carried_position && t != row) add_row(of_track, g + verify.carried_position->offset + me.carried[t] * d);
      if (verify.next_position) add_row(of_track, g + verify.next_position->offset + me.next[t] * d);
    });
    linear_backward_weight(me.inputs.size(), 2 * d, d, me.pairs, du, g + verify.join_weight.offset,
                           g + verify.join_bias.offset);
    if (whole) linear_backward_input(me.inputs.size(), 2 * d, d, du, join_transposed_, me.dpairs);
  }

  /// From trunk.dhidden, me.dsum and me.dpairs through the trunk.
  void draft_backward(worker& me, const float* values) const {
    const transformer_config& c = config_.trunk;
    const std::size_t d = c.width;
    const std::size_t count = me.inputs.size();
    const std::size_t wanted = me.places.size();
    const training_memory& trunk = me.trunk;
    float* g = me.gradient;
    std::fill_n(me.dseen, count * d, 0.0F);
    for_each_track(me, [&](std::size_t row, std::size_t t) {
      if (t != row) add_row(me.dpairs + t * 2 * d, me.dseen + (row + me.carried[t]) * d);
      add_row(me.dpairs + t * 2 * d + d, me.dseen + (row + me.next[t]) * d);
    });
    for (std::size_t k = 0; k < wanted; ++k) add_row(trunk.dhidden + k * d, me.dseen + me.places[k] * d);
    std::fill_n(trunk.dx, count * d, 0.0F);
    if (config_.residual == output_residual::on)
      for (std::size_t k = 0; k < wanted; ++k) std::copy_n(me.dsum + k * d, d, trunk.dx + me.places[k] * d);
    norm_backward(count, d, trunk.last, me.seen_statistics, values + layout_.trunk.norm_weight.offset, me.dseen, trunk.dx,
                  g + layout_.trunk.norm_weight.offset, bias_of(layout_.trunk.norm_bias, g));
    for (std::size_t l = c.depth; l-- > 0;)
      block_backward(c, {layout_.trunk.blocks[l], values}, trunk_transposes_[l % c.own_blocks()], me.offsets, rotary(),
                     trunk.records[l], trunk.scratch, trunk.dx, {layout_.trunk.blocks[l], g},
                     relation_scores_in(c, me.dscores, l));
    for (std::size_t r = 0; r + 1 < me.offsets.size(); ++r)
      for (std::size_t n = me.offsets[r]; n < me.offsets[r + 1]; ++n)
        embed_backward(c, layout_.trunk, me.inputs[n], n - me.offsets[r], trunk.dx + n * d, g);
  }

  hybrid_config config_;
  transformer_config causal_;
  trained_part part_;
  hybrid_layout layout_;
  std::size_t parameter_count_ = 0;
  rotary_table rotary_;
  mutable buffer scores_;
  buffer transposed_;
  std::vector<block_transposes> trunk_transposes_, causal_transposes_;
  float* join_transposed_ = nullptr;
  float* out_transposed_ = nullptr;
  std::unique_ptr<thread_team> team_;
  std::vector<worker> workers_;
};

}  // namespace lacuna::nn
