/// @file
/// @brief The network up to its last hidden states, for rows of any lengths, with several threads.
///
/// Rows are taken in groups, so that memory does not grow with the batch. Within a group each thread takes a contiguous share
/// of the tokens through all blocks; the threads meet once a block, before the attention, where a query needs the keys and
/// values of its whole row. A token's numbers do not depend on who computes them beside what: a row's result is bitwise the
/// same whatever its neighbours, the batch size and the number of threads.
///
/// Cost per token: depth x (2 (4 D^2 + D U + F D) + 4 L D) operations. Nothing is allocated after the first pass of the same or
/// a larger size.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "lacuna/core/token.hpp"
#include "lacuna/nn/block.hpp"
#include "lacuna/nn/buffer.hpp"
#include "lacuna/nn/config.hpp"
#include "lacuna/nn/embedding.hpp"
#include "lacuna/nn/layout.hpp"
#include "lacuna/nn/threads.hpp"

namespace lacuna::nn {

/// Rows packed one after the other; row b is tokens[offsets[b] .. offsets[b + 1]).
struct packed_rows {
  const token* tokens;
  std::span<const std::size_t> offsets;

  [[nodiscard]] std::size_t count() const { return offsets.size() - 1; }
  [[nodiscard]] std::size_t longest() const {
    std::size_t out = 0;
    for (std::size_t b = 0; b < count(); ++b) out = std::max(out, offsets[b + 1] - offsets[b]);
    return out;
  }
};

/// The scratch of the forward pass and how it is used.
class forward_pass {
 public:
  /// How many rows from `first` on make a group: as many as have about this many tokens for each thread, at least one.
  static constexpr std::size_t group_tokens = 512;
  static std::size_t group_end(const packed_rows& rows, std::size_t first, std::size_t threads) {
    std::size_t last = first + 1;
    while (last < rows.count() && rows.offsets[last + 1] - rows.offsets[first] <= group_tokens * threads) ++last;
    return last;
  }

  /// Sets up scratch for groups of these rows, and the attention scores of the relations. Call it once for a batch.
  void prepare(const transformer_config& c, const transformer_layout& layout, const float* values, const packed_rows& rows,
               thread_team& team) {
    const std::size_t longest = rows.longest();
    std::size_t tokens = 0;
    for (std::size_t b = 0; b < rows.count();) {
      const std::size_t end = group_end(rows, b, team.size());
      tokens = std::max(tokens, rows.offsets[end] - rows.offsets[b]);
      b = end;
    }
    const std::size_t d = c.width;
    workers_.resize(team.size());
    const auto assign = [&](pieces p) {
      x_ = p.take(tokens * d);
      attended_ = p.take(tokens * d);
      for (float*& qkv : qkv_) qkv = p.take(tokens * 3 * d);
      for (worker& w : workers_) {
        w.h = p.take(tile_tokens * d);
        w.u = p.take(tile_tokens * c.up_width());
        w.g = is_gated(c.activation) ? p.take(tile_tokens * c.feed_forward) : w.u;
        w.probabilities = p.take(tile_queries * simd::padded(longest));
      }
      return p.total();
    };
    const std::size_t total = assign(pieces{});
    assign(pieces{memory_.reserve(total)});
    if (c.relation) expand_scores(c, values + layout.relation->offset, longest, team);
  }

  /// The last block's output for the rows [first, last) of a group, [N, D]; valid until the next call.
  const float* operator()(const transformer_config& c, const transformer_layout& layout, const float* values,
                          const rotary_table* rotary, const packed_rows& rows, std::size_t first, std::size_t last,
                          thread_team& team) {
    team.run([&](std::size_t i) { work(c, layout, values, rotary, rows, first, last, team, i); });
    return x_;
  }

 private:
  struct worker {
    float *h, *u, *g, *probabilities;
  };
  /// Tokens taken at a time through the parts that treat each by itself, and queries through the attention.
  static constexpr std::size_t tile_tokens = 192;
  static constexpr std::size_t tile_queries = 96;

  /// Expands the relations of all layers, unless the numbers are those of the last time and no row is longer: at one short row
  /// a pass that would be a tenth of the time.
  void expand_scores(const transformer_config& c, const float* numbers, std::size_t longest, thread_team& team) {
    const std::size_t per_layer = c.heads * c.relation->count;
    const std::span<const float> now{numbers, c.depth * per_layer};
    if (longest <= longest_ && std::equal(now.begin(), now.end(), expanded_.begin(), expanded_.end())) return;
    longest_ = longest;
    expanded_.assign(now.begin(), now.end());
    scores_.reserve(c.depth * c.heads * longest * simd::padded(longest));
    team.run([&](std::size_t i) {
      for (std::size_t layer = 0; layer < c.depth; ++layer)
        for (std::size_t h = 0; h < c.heads; ++h)
          if ((layer * c.heads + h) % team.size() == i)
            expand_relation(c, numbers + layer * per_layer, longest, h, scores(c, layer));
    });
  }

  [[nodiscard]] attention_scores<float> scores(const transformer_config& c, std::size_t layer) {
    if (!c.relation) return {};
    const std::size_t stride = simd::padded(longest_);
    return {scores_.data() + layer * c.heads * longest_ * stride, longest_, stride};
  }

  void work(const transformer_config& c, const transformer_layout& layout, const float* values, const rotary_table* rotary,
            const packed_rows& rows, std::size_t first, std::size_t last, thread_team& team, std::size_t i) {
    const std::size_t d = c.width;
    const std::size_t start = rows.offsets[first];
    const std::size_t tokens = rows.offsets[last] - start;
    const share mine{i, team.size()};
    const std::size_t begin = mine.begin(tokens);
    const std::size_t end = mine.end(tokens);
    const worker& w = workers_[i];
    const auto for_my_rows = [&](const auto& f) { for_shared_rows(rows.offsets.subspan(first, last - first + 1), mine, f); };

    for_my_rows([&](std::size_t, std::size_t row, std::size_t, std::size_t from, std::size_t to) {
      for (std::size_t l = from; l < to; ++l) embed(c, layout, values, rows.tokens[start + row + l], l, x_ + (row + l) * d);
    });
    for (std::size_t layer = 0; layer < c.depth; ++layer) {
      const block_tensors<const float> tensors{layout.blocks[layer], values};
      float* qkv = qkv_[layer % 2];  // the other one may still be read by a slower thread
      for (std::size_t t = begin; t < end; t += tile_tokens)
        block_before_attention(c, tensors, std::min(tile_tokens, end - t), x_ + t * d, w.h, qkv + t * 3 * d, nullptr);
      if (rotary != nullptr)
        for_my_rows([&](std::size_t, std::size_t row, std::size_t, std::size_t from, std::size_t to) {
          turn_queries_and_keys(c, *rotary, to - from, from, qkv + (row + from) * 3 * d);
        });
      team.meet();
      const attention_scores<float> s = scores(c, layer);
      for_my_rows([&](std::size_t, std::size_t row, std::size_t length, std::size_t from, std::size_t to) {
        for (std::size_t q = from; q < to; q += tile_queries)
          attention_forward({c.heads, c.head_width()}, length, q, std::min(q + tile_queries, to),
                            split_qkv(qkv + row * 3 * d, d), {s.data, s.rows, s.stride}, w.probabilities, 0,
                            {attended_ + row * d, d});
      });
      for (std::size_t t = begin; t < end; t += tile_tokens) {
        float* x = x_ + t * d;
        block_after_attention(c, tensors, std::min(tile_tokens, end - t), x, attended_ + t * d, x, w.h, w.u, w.g, x, nullptr);
      }
    }
  }

  buffer memory_;
  float* x_ = nullptr;
  float* attended_ = nullptr;
  std::array<float*, 2> qkv_{};
  buffer scores_;                ///< [depth, H, longest, padded(longest)]
  std::vector<float> expanded_;  ///< the relations' numbers they were made from
  std::size_t longest_ = 0;
  std::vector<worker> workers_;
};

}  // namespace lacuna::nn
