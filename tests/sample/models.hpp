/// @file
/// @brief One made-up network in every form a model may have, for tests of the loop.
///
/// `fake::logits` says what the network thinks of a position of a row; by default something that depends on the whole row, so
/// that a row mixed up with another one shows. The forms count how they are called.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "lacuna/concepts/hidden_state_model.hpp"
#include "lacuna/concepts/ragged_model.hpp"
#include "lacuna/core/random.hpp"
#include "lacuna/core/tensor.hpp"

namespace lacuna::tests {

/// Writes the logits of position l of a row.
using network = std::function<void(std::span<const token> row, std::size_t l, std::span<float> out)>;

/// Logits between -3 and 3 that depend on every token of the row and on the position.
inline void scrambled(std::span<const token> row, std::size_t l, std::span<float> out) {
  std::uint64_t h = 1469598103934665603U;
  for (const token t : row) h = (h ^ static_cast<std::uint64_t>(t)) * 1099511628211U;
  random_stream rng(h, stream_use::other, row.size(), l);
  for (float& v : out) v = static_cast<float>(6 * rng.uniform() - 3);
}
/// All tokens alike.
inline void uniform(std::span<const token>, std::size_t, std::span<float> out) { std::fill(out.begin(), out.end(), 0.0F); }

/// What the forms share: the facts, the network, and how often it ran.
struct fake {
  std::size_t vocabulary = 8;
  token mask = 7;
  network logits = scrambled;
  std::optional<token> end = std::nullopt;
  std::vector<token> forbidden = {};
  std::size_t longest = 1U << 20U;
  std::size_t shift = 0;

  std::size_t calls = 0;
  std::size_t rows = 0;
  std::size_t asked = 0;  ///< rows of logits computed for someone who wanted them

  [[nodiscard]] std::size_t vocabulary_size() const { return vocabulary; }
  [[nodiscard]] token mask_token() const { return mask; }
  [[nodiscard]] std::optional<token> end_token() const { return end; }
  [[nodiscard]] const std::vector<token>& forbidden_tokens() const { return forbidden; }
  [[nodiscard]] std::size_t max_length() const { return longest; }
  [[nodiscard]] std::size_t logits_shift() const { return shift; }

 protected:
  std::span<const token> row_of(const token_batch& x, std::size_t b) const { return {x.data() + b * x.shape(1), x.shape(1)}; }
  void select(std::span<const token> row, std::size_t l, std::size_t k, const row_sink& sink) {
    ++asked;
    one_.resize(vocabulary);
    logits(row, l, one_);
    sink(k, one_);
  }
  std::vector<float> one_;
};

/// masked_model
struct whole : fake {
  tensor<float, 3> operator()(const token_batch& x) {
    ++calls;
    rows += x.shape(0);
    tensor<float, 3> out({x.shape(0), x.shape(1), vocabulary});
    for (std::size_t b = 0; b < x.shape(0); ++b)
      for (std::size_t l = 0; l < x.shape(1); ++l)
        logits(row_of(x, b), l, {out.data() + (b * x.shape(1) + l) * vocabulary, vocabulary});
    return out;
  }
};

/// selective_model
struct selective : fake {
  void operator()(const token_batch& x, std::span<const std::size_t> wanted, row_sink sink) {
    ++calls;
    rows += x.shape(0);
    for (std::size_t k = wanted.size(); k-- > 0;)  // backwards: any order is allowed
      select(row_of(x, wanted[k] / x.shape(1)), wanted[k] % x.shape(1), k, sink);
  }
};

/// ragged_model that returns all logits
struct ragged : fake {
  tensor<float, 2> operator()(const ragged_batch& x) {
    ++calls;
    rows += x.rows();
    tensor<float, 2> out({x.tokens.size(), vocabulary});
    for (std::size_t b = 0; b < x.rows(); ++b)
      for (std::size_t l = 0; l < x.length(b); ++l)
        logits(x.row(b), l, {out.data() + (x.offsets[b] + l) * vocabulary, vocabulary});
    return out;
  }
};

/// ragged_model that computes what is wanted
struct ragged_selective : fake {
  void operator()(const ragged_batch& x, std::span<const std::size_t> wanted, row_sink sink) {
    ++calls;
    rows += x.rows();
    for (std::size_t k = 0; k < wanted.size(); ++k) {
      std::size_t b = 0;
      while (x.offsets[b + 1] <= wanted[k]) ++b;
      select(x.row(b), wanted[k] - x.offsets[b], k, sink);
    }
  }
};

/// The hidden state of position l of a row, [2]: the position and how many positions are masked.
inline void hidden_of(std::span<const token> row, std::size_t l, token mask, std::span<float> out) {
  out[0] = static_cast<float>(l);
  out[1] = static_cast<float>(std::count(row.begin(), row.end(), mask));
}

/// hidden_state_model that returns everything
struct whole_hidden : whole {
  struct both {
    tensor<float, 3> logits;
    tensor<float, 3> hidden;
  };
  [[nodiscard]] std::size_t hidden_size() const { return 2; }
  both with_hidden(const token_batch& x) {
    both out{(*this)(x), tensor<float, 3>({x.shape(0), x.shape(1), std::size_t{2}})};
    for (std::size_t b = 0; b < x.shape(0); ++b)
      for (std::size_t l = 0; l < x.shape(1); ++l)
        hidden_of(row_of(x, b), l, mask, {out.hidden.data() + (b * x.shape(1) + l) * 2, 2});
    return out;
  }
};

/// hidden_state_model that computes what is wanted
struct selective_hidden : selective {
  [[nodiscard]] std::size_t hidden_size() const { return 2; }
  void with_hidden(const token_batch& x, std::span<const std::size_t> wanted, row_sink logits_sink, row_sink hidden_sink) {
    (*this)(x, wanted, logits_sink);
    float h[2];
    for (std::size_t k = 0; k < wanted.size(); ++k) {
      hidden_of(row_of(x, wanted[k] / x.shape(1)), wanted[k] % x.shape(1), mask, h);
      hidden_sink(k, h);
    }
  }
};

static_assert(masked_model<whole> && selective_model<selective> && !masked_model<selective>);
static_assert(scores_ragged_batches<ragged> && selects_from_ragged_batches<ragged_selective> && !masked_model<ragged>);
static_assert(returns_hidden<whole_hidden> && selects_hidden<selective_hidden>);

}  // namespace lacuna::tests
