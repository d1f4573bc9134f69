/// @file
/// @brief The hybrid transformer: a bidirectional trunk drafts every masked position at once, causal blocks on the same hidden
/// states verify.
///
/// ```cpp
/// lacuna::nn::hybrid_transformer net{config, loaded parameters};   // or {config, 42}: random, with target = draft bit for bit
/// net.draft(batch, slots, wanted, sink);                           // concepts/draft_verify_model.hpp
/// net.verify({slots, orders, tokens, first, last}, sink);
/// net(batch, wanted, sink);                                        // as a plain model: drafts, no slot is touched
/// ```
/// Verification is incremental: of the tracks that were verified since the slot's draft, as many as have the same order and
/// tokens now are not computed again. Results are bitwise the same with and without that, whatever the neighbours in the batch
/// and the number of threads (unless built with EIGEN_USE_BLAS). A slot takes 2 (1 + C) L D floats, C causal blocks; `forget`
/// gives them back. A call allocates nothing after the first of the same or a larger size. One object serves one call at a
/// time.
///
/// Cost: `draft_share()` and `verify_share()` of a full pass by the number of blocks; the join of two hidden states and the
/// last projection are 3 D^2 weights beyond them. Errors: invalid_argument for tokens out of range, rows longer than
/// max_length, `wanted` not ascending, slots that occur twice or have no draft of that length, orders that are no permutation.
/// Source: Self-Speculative Masked Diffusions (arXiv 2510.03929), section 3.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "lacuna/core/batch.hpp"
#include "lacuna/core/errors.hpp"
#include "lacuna/core/tensor.hpp"
#include "lacuna/core/token.hpp"
#include "lacuna/core/verify_batch.hpp"
#include "lacuna/nn/buffer.hpp"
#include "lacuna/nn/check_rows.hpp"
#include "lacuna/nn/draft_slot.hpp"
#include "lacuna/nn/forward_pass.hpp"
#include "lacuna/nn/hybrid_config.hpp"
#include "lacuna/nn/hybrid_layout.hpp"
#include "lacuna/nn/norm.hpp"
#include "lacuna/nn/parameters.hpp"
#include "lacuna/nn/read_out.hpp"
#include "lacuna/nn/threads.hpp"
#include "lacuna/nn/verify_pass.hpp"

namespace lacuna::nn {

/// Whether a verification uses what earlier ones of the same draft computed, or computes it again, which is for comparison.
enum class verified_tracks { kept, recomputed };

class hybrid_transformer {
 public:
  /// Slots are numbers below this: memory is held up to the highest that was used.
  static constexpr std::size_t most_slots = std::size_t{1} << 20U;

  /// Random parameters: the same for the same seed everywhere.
  hybrid_transformer(hybrid_config config, std::uint64_t seed, std::size_t threads = 1)
      : hybrid_transformer{zeroed{}, std::move(config), threads} {
    initialise(parameters_, layout_, config_, seed);
  }
  /// Loaded parameters, with the names and shapes of nn/hybrid_layout.hpp.
  hybrid_transformer(hybrid_config config, nn::parameters loaded, std::size_t threads = 1)
      : hybrid_transformer{zeroed{}, std::move(config), threads} {
    check_layout(loaded, parameters_);
    parameters_ = std::move(loaded);
  }

  [[nodiscard]] const hybrid_config& config() const { return config_; }
  /// Call `forget` after changing them: slots hold what the old ones made.
  [[nodiscard]] nn::parameters& parameters() { return parameters_; }
  [[nodiscard]] const nn::parameters& parameters() const { return parameters_; }

  [[nodiscard]] std::size_t vocabulary_size() const { return trunk().vocabulary; }
  [[nodiscard]] token mask_token() const { return trunk().mask_token; }
  [[nodiscard]] const std::vector<token>& forbidden_tokens() const { return trunk().forbidden_tokens; }
  [[nodiscard]] std::optional<token> end_token() const { return trunk().end_token; }
  [[nodiscard]] std::size_t max_length() const { return trunk().max_length; }

  /// The trunk's share of the blocks.
  [[nodiscard]] double draft_share() const { return static_cast<double>(trunk().depth) / static_cast<double>(config_.depth()); }
  /// The causal blocks' share.
  [[nodiscard]] double verify_share() const {
    return static_cast<double>(config_.causal_depth) / static_cast<double>(config_.depth());
  }

  /// How many threads a call uses; changes no result.
  void set_threads(std::size_t threads) {
    if (threads == 0) throw invalid_argument("hybrid_transformer: got 0 threads, expected at least 1");
    if (team_ == nullptr || team_->size() != threads) team_ = std::make_unique<thread_team>(threads);
  }
  [[nodiscard]] std::size_t threads() const { return team_->size(); }

  /// Changes the time of a verification, never its result.
  void set_verified_tracks(verified_tracks what) { verified_tracks_ = what; }

  /// Empties all slots and gives back their memory.
  void forget() { slots_ = {}; }

  /// One pass of the trunk: the draft logits [V] of the wanted positions b L + l, ascending, to `sink`, on the calling thread.
  /// Slot slots[b] holds what row b's verification needs until it is drafted again.
  void draft(const token_batch& batch, std::span<const std::size_t> slots, std::span<const std::size_t> wanted, row_sink sink) {
    const packed_rows rows = rows_of(batch);
    check_wanted(wanted, rows.offsets.back(), "hybrid_transformer");
    if (slots.size() != rows.count())
      fail(std::to_string(slots.size()) + " slots", std::to_string(rows.count()) + ", one a row");
    check_slots(slots);
    for (const std::size_t s : slots) {
      if (s >= slots_.size()) slots_.resize(s + 1);
      slots_[s].begin(batch.shape(1), trunk().width, config_.causal_depth);
    }
    run_trunk(rows, slots, wanted, sink);
  }

  /// One pass of the causal part: the target logits [V] of the k-th wanted track to `sink`. Returns the number of rows.
  std::size_t verify(const verify_batch& v, row_sink sink) {
    check(v);
    known_.resize(v.rows());
    for (std::size_t b = 0; b < v.rows(); ++b)
      known_[b] =
          verified_tracks_ == verified_tracks::recomputed ? 0 : slots_[v.slots[b]].known(v.order(b), v.row(b), v.last[b]);
    const verify_pass::network net{config_, causal_, layout_, values(), rotary()};
    const std::size_t d = trunk().width;
    std::size_t done = 0;
    for (std::size_t first = 0; first < v.rows();) {
      first = verify_(net, v, slots_, known_, first, *team_);
      const float* z = verify_.z();
      hand_out(
          verify_.wanted(), [&](std::size_t k) { return z + k * d; }, done, sink);
      done += verify_.wanted();
    }
    return v.rows();
  }

  /// Drafts without a slot: [B, L] -> logits [B, L, V].
  tensor<float, 3> operator()(const token_batch& batch) {
    auto logits = tensor<float, 3>::from_shape({batch.shape(0), batch.shape(1), vocabulary_size()});
    std::vector<std::size_t> everything(batch.shape(0) * batch.shape(1));
    for (std::size_t k = 0; k < everything.size(); ++k) everything[k] = k;
    const auto store = [&](std::size_t k, std::span<const float> row) {
      std::copy(row.begin(), row.end(), logits.data() + k * row.size());
    };
    (*this)(batch, everything, store);
    return logits;
  }
  /// The same for the wanted positions b L + l, ascending, to `sink`; rows without any cost nothing.
  void operator()(const token_batch& batch, std::span<const std::size_t> wanted, row_sink sink) {
    const packed_rows rows = rows_of(batch);
    check_wanted(wanted, rows.offsets.back(), "hybrid_transformer");
    run_trunk(rows, {}, wanted, sink);
  }

 private:
  struct zeroed {};
  hybrid_transformer(zeroed, hybrid_config config, std::size_t threads)
      : config_{std::move(config)}, causal_{config_.causal()} {
    nn::check(config_);
    layout_ = hybrid_layout::add_to(parameters_, config_);
    if (trunk().positions == positions::rotary) rotary_ = {trunk().max_length, trunk().head_width(), trunk().rotary_base};
    set_threads(threads);
  }

  [[nodiscard]] const transformer_config& trunk() const { return config_.trunk; }
  [[nodiscard]] const float* values() const { return parameters_.values().data(); }
  [[nodiscard]] const rotary_table* rotary() const { return trunk().positions == positions::rotary ? &rotary_ : nullptr; }

  [[noreturn]] static void fail(const std::string& got, const std::string& expected) {
    throw invalid_argument("hybrid_transformer: got " + got + ", expected " + expected);
  }

  packed_rows rows_of(const token_batch& batch) {
    offsets_.resize(batch.shape(0) + 1);
    for (std::size_t b = 0; b < offsets_.size(); ++b) offsets_[b] = b * batch.shape(1);
    const packed_rows rows{batch.data(), offsets_};
    check_rows(trunk(), rows, "hybrid_transformer");
    return rows;
  }

  /// Refuses numbers that are too large or occur twice.
  void check_slots(std::span<const std::size_t> slots) {
    ++round_;
    for (const std::size_t s : slots) {
      if (s >= most_slots) fail("slot " + std::to_string(s), "less than " + std::to_string(most_slots));
      if (s >= used_in_.size()) used_in_.resize(s + 1, 0);
      if (used_in_[s] == round_) fail("slot " + std::to_string(s) + " twice in a call", "different slots");
      used_in_[s] = round_;
    }
  }

  void check(const verify_batch& v) {
    const std::size_t rows = v.rows();
    const std::size_t length = v.length();
    const auto expect_count = [](std::size_t got, std::size_t expected, const char* what) {
      if (got != expected) fail(std::to_string(got) + " " + what, std::to_string(expected));
    };
    expect_count(v.first.size(), rows, "first tracks");
    expect_count(v.last.size(), rows, "last tracks");
    expect_count(v.orders.size(), rows * length, "places of orders");
    expect_count(v.tokens.size(), rows * length, "tokens");
    check_slots(v.slots);
    for (std::size_t b = 0; b < rows; ++b) {
      const auto row = [b] { return " in row " + std::to_string(b); };
      const std::size_t s = v.slots[b];
      if (s >= slots_.size() || slots_[s].length == 0)
        fail("slot " + std::to_string(s) + row() + " without a draft", "one that was drafted");
      if (slots_[s].length != length)
        fail("a length of " + std::to_string(length) + row(),
             std::to_string(slots_[s].length) + " as in the draft of slot " + std::to_string(s));
      if (v.first[b] >= v.last[b] || v.last[b] > length)
        fail("tracks [" + std::to_string(v.first[b]) + ", " + std::to_string(v.last[b]) + ")" + row(),
             "at least one and none beyond " + std::to_string(length));
      const std::span<const std::size_t> order = v.order(b);
      ++round_of_positions_;
      taken_.resize(std::max(taken_.size(), length), 0);
      for (const std::size_t position : order) {
        if (position >= length || taken_[position] == round_of_positions_)
          fail("position " + std::to_string(position) + (position < length ? " twice" : "") + " in the order of row " +
                   std::to_string(b),
               "a permutation of 0.." + std::to_string(length - 1));
        taken_[position] = round_of_positions_;
      }
      for (std::size_t t = 0; t + 1 < v.last[b]; ++t) {
        const token carried = v.row(b)[order[t]];
        if (carried < 0 || static_cast<std::size_t>(carried) >= vocabulary_size())
          fail("token " + std::to_string(carried) + " at position " + std::to_string(order[t]) + row(),
               "0.." + std::to_string(vocabulary_size() - 1));
      }
    }
  }

  /// The trunk over all rows that have a slot or a wanted position.
  void run_trunk(const packed_rows& rows, std::span<const std::size_t> slots, std::span<const std::size_t> wanted,
                 const row_sink& sink) {
    if (rows.offsets.back() == 0 || (slots.empty() && wanted.empty())) return;
    pass_.prepare(trunk(), layout_.trunk, values(), rows, *team_);
    const std::size_t d = trunk().width;
    std::size_t next = 0;
    for (std::size_t first = 0; first < rows.count();) {
      if (slots.empty() && (next == wanted.size() || rows.offsets[first + 1] <= wanted[next])) {
        ++first;  // nothing is wanted of this row
        continue;
      }
      const std::size_t last = forward_pass::group_end(rows, first, team_->size());
      const std::size_t start = rows.offsets[first];
      const float* x = pass_(trunk(), layout_.trunk, values(), rotary(), rows, first, last, *team_);
      if (!slots.empty()) keep(x, rows, slots, first, last);
      std::size_t count = 0;
      while (next + count < wanted.size() && wanted[next + count] < rows.offsets[last]) ++count;
      hand_out(
          count, [&](std::size_t k) { return x + (wanted[next + k] - start) * d; }, next, sink);
      next += count;
      first = last;
    }
  }

  /// Stores the rows' states, x [N, D] from row `first` on, in their slots.
  void keep(const float* x, const packed_rows& rows, std::span<const std::size_t> slots, std::size_t first, std::size_t last) {
    const std::size_t d = trunk().width;
    const parameter& bias = layout_.trunk.norm_bias;
    team_->run([&](std::size_t i) {
      for_shared_rows(rows.offsets.subspan(first, last - first + 1), {i, team_->size()},
                      [&](std::size_t r, std::size_t row, std::size_t, std::size_t from, std::size_t to) {
                        draft_slot& slot = slots_[slots[first + r]];
                        std::copy_n(x + (row + from) * d, (to - from) * d, slot.last.data() + from * d);
                        norm_forward(to - from, d, x + (row + from) * d, values() + layout_.trunk.norm_weight.offset,
                                     bias.size == 0 ? nullptr : values() + bias.offset, trunk().norm_epsilon,
                                     slot.seen.data() + from * d, nullptr);
                      });
    });
    for (std::size_t b = first; b < last; ++b) slots_[slots[b]].length = rows.offsets[b + 1] - rows.offsets[b];
  }

  /// The logits of `count` states to the sink, whose numbers begin with `number`.
  template <class XOf>
  void hand_out(std::size_t count, const XOf& x_of, std::size_t number, const row_sink& sink) {
    const std::size_t d = trunk().width;
    const std::size_t v = vocabulary_size();
    const std::size_t tile = read_out_tile(v);
    float* hidden = read_out_memory_.reserve(tile * (d + v) + 16);
    float* logits = hidden + tile * d;
    for (std::size_t begin = 0; begin < count; begin += tile) {
      const std::size_t some = std::min(tile, count - begin);
      read_out(
          trunk(), layout_.trunk, values(), *team_, some, [&](std::size_t k) { return x_of(begin + k); }, hidden, logits);
      for (std::size_t k = 0; k < some; ++k) sink(number + begin + k, std::span<const float>{logits + k * v, v});
    }
  }

  hybrid_config config_;
  transformer_config causal_;
  nn::parameters parameters_;
  hybrid_layout layout_;
  rotary_table rotary_;
  std::unique_ptr<thread_team> team_;
  forward_pass pass_;
  verify_pass verify_;
  verified_tracks verified_tracks_ = verified_tracks::kept;
  std::vector<draft_slot> slots_;
  buffer read_out_memory_;
  std::vector<std::size_t> offsets_, known_;
  std::vector<std::size_t> used_in_, taken_;  ///< the last round of a check in which a slot or position occurred
  std::size_t round_ = 0, round_of_positions_ = 0;
};

}  // namespace lacuna::nn
