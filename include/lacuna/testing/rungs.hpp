/// @file
/// @brief One model seen as each rung of the ladder, so that every path of a driver can be held against the same answers.
///
/// ```cpp
/// lacuna::testing::as_selective only_wanted{lacuna::problems::markov_chain::sticky(4, 0.9)};
/// lacuna::testing::as_ragged any_lengths{lacuna::problems::markov_chain::sticky(4, 0.9)};
/// ```
/// | wrapper | has |
/// |---|---|
/// | as_selective | m(batch, wanted, sink) |
/// | as_ragged | m(ragged_batch) |
/// | as_selective_ragged | m(ragged_batch, wanted, sink) |
/// | as_hidden | m(batch), m.with_hidden(batch) |
/// | as_selective_hidden | m(batch, wanted, sink), m.with_hidden(batch, wanted, sink, sink) |
///
/// Each has only that and the facts of the model inside, whose plain call does the work, so none is faster than it. Selective
/// ones deliver out of order and from a buffer that is overwritten at once: whoever keeps a row, or expects an order, fails.
///
/// The hidden state of a position, [D] with D = V + 2: the V probabilities of its row, whether the model was shown the mask
/// there, and the position.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "lacuna/concepts/hidden_state_model.hpp"
#include "lacuna/concepts/masked_model.hpp"
#include "lacuna/testing/wrapped.hpp"

namespace lacuna::testing {

/// Both outputs of a pass.
struct logits_and_hidden {
  tensor<float, 3> logits;  ///< [B, L, V]
  tensor<float, 3> hidden;  ///< [B, L, D]
};

namespace detail {

/// Delivers the wanted rows of `values` [*, width], those of odd k first, each from the same buffer.
inline void deliver(const float* values, std::size_t width, std::span<const std::size_t> wanted, row_sink sink) {
  std::vector<float> buffer(width);
  for (const std::size_t parity : {1U, 0U})
    for (std::size_t k = parity; k < wanted.size(); k += 2) {
      std::copy_n(values + wanted[k] * width, width, buffer.begin());
      sink(k, buffer);
      std::fill(buffer.begin(), buffer.end(), std::numeric_limits<float>::quiet_NaN());
    }
}

/// Logits [N, V] of rows of different lengths, each row scored alone.
template <class M>
tensor<float, 2> score_each(M& model, const ragged_batch& x) {
  const std::size_t vocabulary = model.vocabulary_size();
  tensor<float, 2> out({x.tokens.size(), vocabulary});
  for (std::size_t b = 0; b < x.rows(); ++b) {
    const auto& row = model(view_as_tensor<const token, 2>(x.row(b).data(), {1, x.length(b)}));
    std::copy_n(row.data(), x.length(b) * vocabulary, out.data() + x.offsets[b] * vocabulary);
  }
  return out;
}

/// Logits and hidden states of a batch.
template <class M>
logits_and_hidden score_with_hidden(M& model, const token_batch& x) {
  logits_and_hidden both{model(x), {}};
  const std::size_t length = x.shape(1);
  const std::size_t vocabulary = model.vocabulary_size();
  both.hidden.resize({x.shape(0), length, vocabulary + 2});
  for (std::size_t i = 0; i < x.size(); ++i) {
    const float* logits = both.logits.data() + i * vocabulary;
    float* h = both.hidden.data() + i * (vocabulary + 2);
    const float largest = *std::max_element(logits, logits + vocabulary);
    float sum = 0;
    for (std::size_t v = 0; v < vocabulary; ++v) sum += h[v] = std::exp(logits[v] - largest);
    for (std::size_t v = 0; v < vocabulary; ++v) h[v] /= sum;
    h[vocabulary] = x.data()[i] == model.mask_token() ? 1.0F : 0.0F;
    h[vocabulary + 1] = static_cast<float>(i % length);
  }
  return both;
}

}  // namespace detail

template <masked_model M>
struct as_selective : wrapped<M> {
  explicit as_selective(M model) : wrapped<M>(std::move(model)) {}
  void operator()(const token_batch& x, std::span<const std::size_t> wanted, row_sink sink) {
    const auto& logits = this->model()(x);
    detail::deliver(logits.data(), this->vocabulary_size(), wanted, sink);
  }
};

template <masked_model M>
struct as_ragged : wrapped<M> {
  explicit as_ragged(M model) : wrapped<M>(std::move(model)) {}
  tensor<float, 2> operator()(const ragged_batch& x) { return detail::score_each(this->model(), x); }
};

template <masked_model M>
struct as_selective_ragged : wrapped<M> {
  explicit as_selective_ragged(M model) : wrapped<M>(std::move(model)) {}
  void operator()(const ragged_batch& x, std::span<const std::size_t> wanted, row_sink sink) {
    detail::deliver(detail::score_each(this->model(), x).data(), this->vocabulary_size(), wanted, sink);
  }
};

template <masked_model M>
struct as_hidden : wrapped<M> {
  explicit as_hidden(M model) : wrapped<M>(std::move(model)) {}
  [[nodiscard]] std::size_t hidden_size() const { return this->vocabulary_size() + 2; }
  tensor<float, 3> operator()(const token_batch& x) { return this->model()(x); }
  logits_and_hidden with_hidden(const token_batch& x) { return detail::score_with_hidden(this->model(), x); }
};

template <masked_model M>
struct as_selective_hidden : as_selective<M> {
  explicit as_selective_hidden(M model) : as_selective<M>(std::move(model)) {}
  [[nodiscard]] std::size_t hidden_size() const { return this->vocabulary_size() + 2; }
  void with_hidden(const token_batch& x, std::span<const std::size_t> wanted, row_sink logits, row_sink hidden) {
    const logits_and_hidden both = detail::score_with_hidden(this->model(), x);
    detail::deliver(both.logits.data(), this->vocabulary_size(), wanted, logits);
    detail::deliver(both.hidden.data(), hidden_size(), wanted, hidden);
  }
};

}  // namespace lacuna::testing
