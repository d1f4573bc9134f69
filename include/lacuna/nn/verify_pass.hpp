/// @file
/// @brief The causal part of a hybrid transformer: from what drafts left behind to the hidden states of wanted targets.
///
/// The formulas are those of nn/hybrid_training_pass.hpp. The tracks that have to be computed of all rows of a group are packed
/// together; each thread takes a share of them through the blocks, and the threads meet once a block, before the attention. A
/// track's numbers do not depend on what is computed beside it, so that they are bitwise the same whatever the other rows are,
/// however many tracks were at hand already, and with any number of threads.
///
/// Cost per computed track: C x (2 (4 D^2 + D U + F D) + 4 L D) + 4 D^2 operations, and less in the last block for a track that
/// is not wanted; 2 D^2 + 2 D V for a wanted one. Nothing is allocated after the first pass of the same or a larger size.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "lacuna/core/token.hpp"
#include "lacuna/core/verify_batch.hpp"
#include "lacuna/nn/attention.hpp"
#include "lacuna/nn/block.hpp"
#include "lacuna/nn/buffer.hpp"
#include "lacuna/nn/causal_block.hpp"
#include "lacuna/nn/draft_slot.hpp"
#include "lacuna/nn/hybrid_config.hpp"
#include "lacuna/nn/hybrid_layout.hpp"
#include "lacuna/nn/linear.hpp"
#include "lacuna/nn/norm.hpp"
#include "lacuna/nn/threads.hpp"

namespace lacuna::nn {

/// The scratch of the causal part and how it is used.
class verify_pass {
 public:
  /// The network it is used with.
  struct network {
    const hybrid_config& config;
    const transformer_config& causal;  ///< config.causal()
    const hybrid_layout& layout;
    const float* values;
    const rotary_table* rotary;  ///< null without rotary positions
  };

  /// How many rows from `first` on make a group: as many as have about this many tracks to compute for each thread.
  static constexpr std::size_t group_tracks = 512;

  /// Takes the rows of v from `first` on, as many as fit, and returns the end of them. `known[b]` tracks of row b are at hand,
  /// at most last[b]. On return z() are the wanted tracks' states before the last norm, and what the slots hold is extended.
  std::size_t operator()(const network& net, const verify_batch& v, std::span<draft_slot> slots,
                         std::span<const std::size_t> known, std::size_t first, thread_team& team) {
    std::size_t end = first;
    offsets_.assign(1, 0);
    wanted_.assign(1, 0);
    std::size_t longest = 0;
    do {
      offsets_.push_back(offsets_.back() + v.last[end] - begin_of(v, known, end));
      wanted_.push_back(wanted_.back() + v.last[end] - v.first[end]);
      longest = std::max(longest, v.last[end]);
      ++end;
    } while (end < v.rows() && offsets_.back() < group_tracks * team.size());
    reserve(net, longest, team.size());
    team.run([&](std::size_t i) { work(net, v, slots, known, first, team, i); });
    for (std::size_t b = first; b < end; ++b) slots[v.slots[b]].remember(v.order(b), v.row(b), known[b], v.last[b]);
    return end;
  }

  /// [W, D], those of the rows one after the other; valid until the next call.
  [[nodiscard]] const float* z() const { return z_; }
  [[nodiscard]] std::size_t wanted() const { return wanted_.back(); }

 private:
  struct worker {
    float *h, *u, *g, *probabilities;
  };
  /// Tracks taken at a time through the parts that treat each by itself.
  static constexpr std::size_t tile = 192;

  /// The first track that is computed: what is wanted is computed even if its keys are at hand.
  static std::size_t begin_of(const verify_batch& v, std::span<const std::size_t> known, std::size_t b) {
    return std::min(known[b], v.first[b]);
  }

  void reserve(const network& net, std::size_t longest, std::size_t threads) {
    const transformer_config& c = net.causal;
    const std::size_t d = c.width;
    const std::size_t tracks = offsets_.back();
    workers_.resize(threads);
    const auto assign = [&](pieces p) {
      x_ = p.take(tracks * d);
      pairs_ = p.take(tracks * 2 * d);
      qkv_ = p.take(tracks * 3 * d);
      attended_ = p.take(tracks * d);
      y_ = p.take(wanted_.back() * d);
      z_ = p.take(wanted_.back() * d);
      for (worker& w : workers_) {
        w.h = p.take(tile * d);
        w.u = p.take(tile * c.up_width());
        w.g = is_gated(c.activation) ? p.take(tile * c.feed_forward) : w.u;
        w.probabilities = p.take(causal_tile * simd::padded(longest));
      }
      return p.total();
    };
    const std::size_t total = assign(pieces{});
    assign(pieces{memory_.reserve(total)});
  }

  /// The hidden states of the positions of track t of row b, side by side.
  static void pair_up(const network& net, const verify_batch& v, const draft_slot& slot, std::size_t b, std::size_t t,
                      float* pair) {
    const std::size_t d = net.causal.width;
    const std::span<const std::size_t> order = v.order(b);
    if (t == 0)
      std::fill_n(pair, d, 0.0F);
    else
      std::copy_n(slot.seen.data() + order[t - 1] * d, d, pair);
    std::copy_n(slot.seen.data() + order[t] * d, d, pair + d);
  }
  /// Adds the embeddings of track t of row b.
  static void add_embeddings(const network& net, const verify_batch& v, std::size_t b, std::size_t t, float* x) {
    const verify_layout& verify = net.layout.verify;
    const std::size_t d = net.causal.width;
    const std::span<const std::size_t> order = v.order(b);
    const auto add = [&](std::size_t offset) {
      simd::map(
          d, x, [](const auto& a, const auto& more) { return simd::add(a, more); }, x, net.values + offset);
    };
    add(t == 0 ? verify.start.offset
               : net.layout.trunk.token_embedding.offset + static_cast<std::size_t>(v.row(b)[order[t - 1]]) * d);
    if (verify.carried_position && t != 0) add(verify.carried_position->offset + order[t - 1] * d);
    if (verify.next_position) add(verify.next_position->offset + order[t] * d);
  }

  void work(const network& net, const verify_batch& v, std::span<draft_slot> slots, std::span<const std::size_t> known,
            std::size_t first, thread_team& team, std::size_t i) {
    const transformer_config& c = net.causal;
    const verify_layout& verify = net.layout.verify;
    const std::size_t d = c.width;
    const worker& w = workers_[i];
    const share mine{i, team.size()};
    // f(slot, row b of v, its first packed track, number of its first track, the packed tracks of it that are mine)
    const auto for_my_rows = [&](const std::vector<std::size_t>& offsets, const auto& f) {
      for_shared_rows(offsets, mine, [&](std::size_t r, std::size_t row, std::size_t, std::size_t from, std::size_t to) {
        f(slots[v.slots[first + r]], r, row, from, to);
      });
    };
    const auto for_my_tiles = [&](std::size_t count, const auto& f) {
      const std::size_t end = mine.end(count);
      for (std::size_t t = mine.begin(count); t < end; t += tile) f(t, std::min(tile, end - t));
    };

    for_my_rows(offsets_, [&](draft_slot& slot, std::size_t r, std::size_t row, std::size_t from, std::size_t to) {
      for (std::size_t k = from; k < to; ++k)
        pair_up(net, v, slot, first + r, begin_of(v, known, first + r) + k, pairs_ + (row + k) * 2 * d);
    });
    for_my_tiles(offsets_.back(), [&](std::size_t t, std::size_t count) {
      linear_forward(count, 2 * d, d, pairs_ + t * 2 * d, net.values + verify.join_weight.offset,
                     net.values + verify.join_bias.offset, x_ + t * d);
    });
    for_my_rows(offsets_, [&](draft_slot&, std::size_t r, std::size_t row, std::size_t from, std::size_t to) {
      for (std::size_t k = from; k < to; ++k)
        add_embeddings(net, v, first + r, begin_of(v, known, first + r) + k, x_ + (row + k) * d);
    });
    for (std::size_t layer = 0; layer < c.depth; ++layer) {
      const block_tensors<const float> tensors{verify.blocks[layer], net.values};
      const auto keys_of = [&](draft_slot& slot) { return slot.keys_values.data() + layer * slot.length * 2 * d; };
      for_my_tiles(offsets_.back(), [&](std::size_t t, std::size_t count) {
        block_before_attention(c, tensors, count, x_ + t * d, w.h, qkv_ + t * 3 * d, nullptr);
      });
      for_my_rows(offsets_, [&](draft_slot& slot, std::size_t r, std::size_t row, std::size_t from, std::size_t to) {
        const std::span<const std::size_t> order = v.order(first + r);
        for (std::size_t k = from; k < to; ++k) {
          const std::size_t t = begin_of(v, known, first + r) + k;
          float* qkv = qkv_ + (row + k) * 3 * d;
          if (net.rotary != nullptr) {
            net.rotary->turn(order[t], c.heads, qkv);
            net.rotary->turn(order[t == 0 ? 0 : t - 1], c.heads, qkv + d);
          }
          std::copy_n(qkv + d, 2 * d, keys_of(slot) + t * 2 * d);
        }
      });
      team.meet();
      // What the packed tracks [from, to) of row r see.
      const auto see = [&](draft_slot& slot, std::size_t r, std::size_t from, std::size_t to, float* out) {
        const std::size_t begin = begin_of(v, known, first + r);
        const float* keys = keys_of(slot);
        for (std::size_t k = from; k < to; k += causal_tile, out += causal_tile * d)
          attend<key_range::up_to_own>({c.heads, c.head_width()}, v.last[first + r], begin + k, std::min(causal_tile, to - k),
                                       {{qkv_ + (offsets_[r] + k) * 3 * d, 3 * d}, {keys, 2 * d}, {keys + d, 2 * d}}, {},
                                       w.probabilities, 0, {out, d});
      };
      if (layer + 1 < c.depth) {
        for_my_rows(offsets_, [&](draft_slot& slot, std::size_t r, std::size_t row, std::size_t from, std::size_t to) {
          see(slot, r, from, to, attended_ + (row + from) * d);
        });
        for_my_tiles(offsets_.back(), [&](std::size_t t, std::size_t count) {
          float* x = x_ + t * d;
          block_after_attention(c, tensors, count, x, attended_ + t * d, x, w.h, w.u, w.g, x, nullptr);
        });
      } else {
        for_my_rows(wanted_, [&](draft_slot& slot, std::size_t r, std::size_t row, std::size_t from, std::size_t to) {
          const std::size_t skipped = v.first[first + r] - begin_of(v, known, first + r);
          see(slot, r, skipped + from, skipped + to, attended_ + (row + from) * d);
          std::copy_n(x_ + (offsets_[r] + skipped + from) * d, (to - from) * d, y_ + (row + from) * d);
          const std::size_t* order = v.order(first + r).data() + v.first[first + r];
          for (std::size_t k = from; k < to; ++k) std::copy_n(slot.last.data() + order[k] * d, d, z_ + (row + k) * d);
        });
        for_my_tiles(wanted_.back(), [&](std::size_t t, std::size_t count) {
          float* y = y_ + t * d;
          float* z = z_ + t * d;
          block_after_attention(c, tensors, count, y, attended_ + t * d, y, w.h, w.u, w.g, y, nullptr);
          norm_forward(count, d, y, net.values + verify.norm_weight.offset,
                       verify.norm_bias.size == 0 ? nullptr : net.values + verify.norm_bias.offset, c.norm_epsilon, w.h,
                       nullptr);
          const float* weight = net.values + verify.out_weight.offset;
          const float* bias = net.values + verify.out_bias.offset;
          if (net.config.residual == output_residual::on)
            linear_forward_onto(count, d, d, w.h, weight, bias, z, z);
          else
            linear_forward(count, d, d, w.h, weight, bias, z);
        });
      }
    }
  }

  buffer memory_;
  float *x_ = nullptr, *pairs_ = nullptr, *qkv_ = nullptr, *attended_ = nullptr, *y_ = nullptr, *z_ = nullptr;
  std::vector<worker> workers_;
  std::vector<std::size_t> offsets_, wanted_;  ///< where the rows' computed and wanted tracks begin
};

}  // namespace lacuna::nn
