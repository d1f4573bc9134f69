/// @file
/// @brief Runs queued rows through a model of any rung of the ladder and hands out the wanted rows.
///
/// A ragged model gets all rows in one call, any other one call per length; `rows_per_call` bounds the size of a call. A
/// selective model is asked for the wanted positions only. What a model returns is checked (shape, each wanted row once):
/// model_error says what was got and what was expected. The order of rows in a call, and so the split into calls, never
/// shows in what a row receives.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "lacuna/concepts/hidden_state_model.hpp"
#include "lacuna/concepts/model_facts.hpp"
#include "lacuna/concepts/ragged_model.hpp"
#include "lacuna/core/errors.hpp"
#include "lacuna/sample/scoring_queue.hpp"

namespace lacuna {

/// Any number of rows in one call.
inline constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();

template <decodable_model M>
class scorer {
 public:
  /// Refers to the model; facts as read by facts_of(model).
  scorer(M& model, const model_facts& facts, std::size_t rows_per_call = unlimited)
      : model_{&model}, facts_{&facts}, rows_per_call_{std::max<std::size_t>(rows_per_call, 1)} {}

  /// Scores every row of the queue: `sink(r, k, logits [V])` receives the k-th wanted position of row r. Returns the cost in
  /// calls and rows of the network.
  template <class Sink>
  nfe::count score(const scoring_queue& queue, Sink&& sink) {
    return run<false>(queue, sink, [](std::size_t, std::size_t, std::span<const float>) {});
  }

  /// The same with the hidden states from the same pass: `hidden(r, k, h [D])`.
  template <class Sink, class HiddenSink>
  requires hidden_state_model<M> nfe::count score_with_hidden(const scoring_queue& queue, Sink&& sink, HiddenSink&& hidden) {
    return run<true>(queue, sink, hidden);
  }

 private:
  static constexpr bool ragged(bool with_hidden) { return ragged_model<M> && !with_hidden; }

  template <bool WithHidden, class Sink, class HiddenSink>
  nfe::count run(const scoring_queue& queue, Sink& sink, HiddenSink&& hidden) {
    rows_.resize(queue.rows());
    std::iota(rows_.begin(), rows_.end(), std::size_t{0});
    if constexpr (!ragged(WithHidden))  // an insertion-free stable order: by length, then by index
      std::sort(rows_.begin(), rows_.end(), [&](std::size_t a, std::size_t b) {
        return queue.length(a) != queue.length(b) ? queue.length(a) < queue.length(b) : a < b;
      });
    nfe::count cost;
    for (std::size_t first = 0; first < rows_.size();) {
      std::size_t last = first + std::min(rows_per_call_, rows_.size() - first);
      if constexpr (!ragged(WithHidden))
        while (queue.length(rows_[last - 1]) != queue.length(rows_[first])) --last;
      gather(queue, first, last);
      call<WithHidden>(sink, hidden);
      ++cost.calls;
      cost.rows += last - first;
      first = last;
    }
    return cost;
  }

  /// Packs rows [first, last) and lists where each wanted row goes.
  void gather(const scoring_queue& queue, std::size_t first, std::size_t last) {
    tokens_.clear();
    wanted_.clear();
    destinations_.clear();
    offsets_.assign(1, 0);
    for (std::size_t i = first; i < last; ++i) {
      const std::size_t r = rows_[i];
      const auto wanted = queue.wanted(r);
      for (std::size_t k = 0; k < wanted.size(); ++k) {
        wanted_.push_back(tokens_.size() + (wanted[k] < facts_->logits_shift ? 0 : wanted[k] - facts_->logits_shift));
        destinations_.push_back({r, k});
      }
      const auto row = queue.tokens(r);
      tokens_.insert(tokens_.end(), row.begin(), row.end());
      offsets_.push_back(tokens_.size());
    }
    received_.assign(wanted_.size(), 0);
  }

  template <bool WithHidden, class Sink, class HiddenSink>
  void call(Sink& sink, HiddenSink& hidden) {
    std::size_t delivered = 0;
    auto take = [&](std::size_t k, std::span<const float> row) {
      check_row(k, row.size());
      ++delivered;
      sink(destinations_[k].row, destinations_[k].index, row);
    };
    auto take_hidden = [&](std::size_t k, std::span<const float> row) {
      hidden(destinations_[k].row, destinations_[k].index, row);
    };
    const std::size_t rows = offsets_.size() - 1;
    [[maybe_unused]] const std::size_t length = offsets_[1];
    if constexpr (WithHidden) {
      const token_batch x = view_as_tensor<const token, 2>(tokens_.data(), {rows, length});
      if constexpr (selects_hidden<M>) {
        model_->with_hidden(x, std::span<const std::size_t>{wanted_}, row_sink{take}, row_sink{take_hidden});
      } else {
        const auto& both = model_->with_hidden(x);
        check_shape(both.logits.shape(), {rows, length, facts_->vocabulary}, "logits");
        check_shape(both.hidden.shape(), {rows, length, static_cast<std::size_t>(model_->hidden_size())}, "hidden states");
        hand_out(both.logits.data(), facts_->vocabulary, take);
        hand_out(both.hidden.data(), static_cast<std::size_t>(model_->hidden_size()), take_hidden);
      }
    } else if constexpr (selects_from_ragged_batches<M>) {
      (*model_)(ragged_batch{tokens_, offsets_}, std::span<const std::size_t>{wanted_}, row_sink{take});
    } else if constexpr (scores_ragged_batches<M>) {
      const auto& logits = (*model_)(ragged_batch{tokens_, offsets_});
      check_shape(logits.shape(), {tokens_.size(), facts_->vocabulary}, "logits");
      hand_out(logits.data(), facts_->vocabulary, take);
    } else {
      const token_batch x = view_as_tensor<const token, 2>(tokens_.data(), {rows, length});
      if constexpr (selective_model<M>) {
        (*model_)(x, std::span<const std::size_t>{wanted_}, row_sink{take});
      } else {
        const auto& logits = (*model_)(x);
        check_shape(logits.shape(), {rows, length, facts_->vocabulary}, "logits");
        hand_out(logits.data(), facts_->vocabulary, take);
      }
    }
    if (delivered != wanted_.size())
      throw model_error("model: delivered " + std::to_string(delivered) + " rows, expected the " +
                        std::to_string(wanted_.size()) + " that were wanted");
  }

  template <class Take>
  void hand_out(const float* data, std::size_t width, Take& take) {
    for (std::size_t k = 0; k < wanted_.size(); ++k) take(k, std::span<const float>{data + wanted_[k] * width, width});
  }

  void check_row(std::size_t k, std::size_t width) {
    if (k >= received_.size())
      throw model_error("model: delivered row " + std::to_string(k) + ", but only " + std::to_string(received_.size()) +
                        " were wanted");
    if (width != facts_->vocabulary)
      throw model_error("model: row of " + std::to_string(width) +
                        " logits, expected vocabulary_size() = " + std::to_string(facts_->vocabulary));
    if (received_[k]++ != 0) throw model_error("model: delivered row " + std::to_string(k) + " twice");
  }

  template <class Shape, std::size_t Rank>
  static void check_shape(const Shape& got, const std::size_t (&expected)[Rank], const char* what) {
    bool same = got.size() == Rank;
    for (std::size_t i = 0; same && i < Rank; ++i) same = static_cast<std::size_t>(got[i]) == expected[i];
    if (same) return;
    const auto text = [](const auto& s, std::size_t n) {
      std::string t = "[";
      for (std::size_t i = 0; i < n; ++i) t += (i == 0 ? "" : ", ") + std::to_string(s[i]);
      return t + "]";
    };
    throw model_error(std::string("model: ") + what + " of shape " + text(got, got.size()) + ", expected " +
                      text(expected, Rank));
  }

  struct destination {
    std::size_t row;
    std::size_t index;
  };
  M* model_;
  const model_facts* facts_;
  std::size_t rows_per_call_;
  std::vector<std::size_t> rows_;
  std::vector<token> tokens_;
  std::vector<std::size_t> offsets_;
  std::vector<std::size_t> wanted_;
  std::vector<destination> destinations_;
  std::vector<std::uint8_t> received_;
};

}  // namespace lacuna
