/// @file
/// @brief The activations and scratch of one training group, laid out in one buffer.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "lacuna/nn/block.hpp"
#include "lacuna/nn/buffer.hpp"
#include "lacuna/nn/config.hpp"

namespace lacuna::nn {

/// Pointers into one buffer, valid until the next `lay_out`.
struct training_memory {
  std::vector<block_record> records;  ///< one per block
  float* last = nullptr;              ///< [N, D], what the last block returns
  float* dx = nullptr;                ///< [N, D]
  block_scratch scratch{};
  float *picked = nullptr, *dpicked = nullptr, *hidden = nullptr, *dhidden = nullptr;  ///< [wanted, D]
  float* statistics = nullptr;                                                         ///< [wanted, 2]
  float* logits = nullptr;                                                             ///< [threads, head_rows, V]

  /// For rows with these boundaries.
  void lay_out(const transformer_config& c, std::span<const std::size_t> offsets, std::size_t wanted, std::size_t head_rows,
               std::size_t threads) {
    const std::size_t tokens = offsets.back();
    std::size_t probabilities = 0;
    std::size_t longest = 0;
    places_.clear();
    for (std::size_t b = 0; b + 1 < offsets.size(); ++b) {
      const std::size_t length = offsets[b + 1] - offsets[b];
      places_.push_back(probabilities);
      probabilities += c.heads * length * simd::padded(length);
      longest = std::max(longest, length);
    }
    records.resize(c.depth);
    const auto assign = [&](pieces p) {
      const std::size_t d = c.width;
      for (block_record& r : records) {
        r.x = p.take(tokens * d);
        r.h1 = p.take(tokens * d);
        r.qkv = p.take(tokens * 3 * d);
        r.attended = p.take(tokens * d);
        r.middle = p.take(tokens * d);
        r.h2 = p.take(tokens * d);
        r.u = p.take(tokens * c.up_width());
        r.g = p.take(tokens * c.feed_forward);
        r.statistics1 = p.take(tokens * 2);
        r.statistics2 = p.take(tokens * 2);
        r.probabilities = p.take(probabilities);
        r.places = places_.data();
      }
      last = p.take(tokens * d);
      dx = p.take(tokens * d);
      scratch.dqkv = p.take(tokens * 3 * d);
      scratch.du = is_gated(c.activation) ? p.take(tokens * c.up_width()) : nullptr;
      scratch.inner = p.take(tokens * c.feed_forward);
      scratch.narrow = p.take(tokens * d);
      scratch.attention_size = longest * simd::padded(longest);
      scratch.attention = p.take(threads * scratch.attention_size);
      picked = p.take(wanted * d);
      dpicked = p.take(wanted * d);
      hidden = p.take(wanted * d);
      dhidden = p.take(wanted * d);
      statistics = p.take(wanted * 2);
      logits = p.take(threads * head_rows * c.vocabulary);
      return p.total();
    };
    const std::size_t total = assign(pieces{});
    assign(pieces{memory_.reserve(total)});
  }

 private:
  buffer memory_;
  std::vector<std::size_t> places_;
};

}  // namespace lacuna::nn
