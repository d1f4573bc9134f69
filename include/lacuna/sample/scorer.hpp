/// @file
/// @brief Runs queued rows through a model of any rung of the ladder and hands out the wanted rows.
///
/// A ragged model gets all rows in one call, any other one call per length; `rows_per_call` bounds the size of a call. A
/// selective model is asked for the wanted positions only. What a model returns is checked (shape, each wanted row once, logits
/// and hidden states alike): model_error says what was got and what was expected. The order of rows in a call, and so the split
/// into calls, never shows in what a row receives. Rows to be drafted or verified go to the calls of a draft_verify_model.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "lacuna/concepts/draft_verify_model.hpp"
#include "lacuna/concepts/drivable_model.hpp"
#include "lacuna/concepts/hidden_state_model.hpp"
#include "lacuna/concepts/model_facts.hpp"
#include "lacuna/concepts/ragged_model.hpp"
#include "lacuna/core/errors.hpp"
#include "lacuna/core/shape_text.hpp"
#include "lacuna/sample/draft_verify_scorer.hpp"
#include "lacuna/sample/receipt.hpp"
#include "lacuna/sample/scoring_queue.hpp"

namespace lacuna {

/// Any number of rows in one call.
inline constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();

/// D of a model's hidden states, 0 if it shows none: what a row_context is to know.
template <class M>
std::size_t hidden_width([[maybe_unused]] const M& model) {
  if constexpr (hidden_state_model<M>)
    return static_cast<std::size_t>(model.hidden_size());
  else
    return 0;
}

template <drivable_model M>
class scorer {
 public:
  /// Refers to the model; facts as read by facts_of(model).
  scorer(M& model, const model_facts& facts, std::size_t rows_per_call = unlimited)
      : model_{&model},
        facts_{&facts},
        rows_per_call_{std::max<std::size_t>(rows_per_call, 1)},
        width_{lacuna::hidden_width(model)} {}

  /// D, read once as the facts are: what every hidden state is held against.
  [[nodiscard]] std::size_t hidden_width() const { return width_; }

  /// Scores every row of the queue: `sink(r, k, logits [V])` receives the k-th wanted position (or track) of row r. Returns the
  /// cost in calls and rows of the network.
  template <class Sink>
  nfe::count score(const scoring_queue& queue, Sink&& sink) {
    took_.reserve(queue.rows());
    took_.assign(queue.rows(), 1);
    nfe::count cost;
    if (queue.rows(row_kind::plain) > 0) {
      if constexpr (decodable_model<M>)
        cost = run<false>(queue, sink, [](std::size_t, std::size_t, std::span<const float>) {});
      else
        throw error("sampler: asked for plain rows, expected drafts and verifications: the model has no plain call");
    }
    if (queue.rows(row_kind::plain) < queue.rows()) {
      if constexpr (draft_verify_model<M>) {
        const nfe::count more = verifying_.score(*model_, *facts_, queue, rows_per_call_, sink, took_);
        cost.calls += more.calls;
        cost.rows += more.rows;
      } else {
        throw error("sampler: asked for drafts or verifications, expected plain rows: the model is no draft_verify_model");
      }
    }
    return cost;
  }

  /// What each row of the queue scored last took in rows of the network [rows of that queue].
  [[nodiscard]] std::span<const std::size_t> rows_taken() const { return took_; }

  /// The same with the hidden states from the same pass: `hidden(r, k, h [D])`.
  template <class Sink, class HiddenSink>
  requires hidden_state_model<M> nfe::count score_with_hidden(const scoring_queue& queue, Sink&& sink, HiddenSink&& hidden) {
    if (queue.rows(row_kind::plain) < queue.rows())
      throw error("sampler: asked for hidden states of drafts or verifications, which have none");
    took_.assign(queue.rows(), 1);
    return run<true>(queue, sink, hidden);
  }

 private:
  static constexpr bool ragged(bool with_hidden) { return ragged_model<M> && !with_hidden; }

  template <bool WithHidden, class Sink, class HiddenSink>
  nfe::count run(const scoring_queue& queue, Sink& sink, HiddenSink&& hidden) {
    rows_.clear();
    rows_.reserve(queue.rows());
    for (std::size_t r = 0; r < queue.rows(); ++r)
      if (queue.kind(r) == row_kind::plain) rows_.push_back(r);
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
      const auto row = queue.tokens(rows_[i]);
      tokens_.insert(tokens_.end(), row.begin(), row.end());
      offsets_.push_back(tokens_.size());
    }
    wanted_.reserve(tokens_.capacity());  // later steps may want more positions than the first one did
    destinations_.reserve(tokens_.capacity());
    for (std::size_t i = first; i < last; ++i) {
      const auto wanted = queue.wanted(rows_[i]);
      for (std::size_t k = 0; k < wanted.size(); ++k) {
        wanted_.push_back(offsets_[i - first] + (wanted[k] < facts_->logits_shift ? 0 : wanted[k] - facts_->logits_shift));
        destinations_.push_back({rows_[i], k});
      }
    }
  }

  template <bool WithHidden, class Sink, class HiddenSink>
  void call(Sink& sink, HiddenSink& hidden) {
    [[maybe_unused]] const std::size_t vocabulary = facts_->vocabulary;
    logits_received_.expect(wanted_.size(), tokens_.capacity());
    auto take = [&](std::size_t k, std::span<const float> row) {
      logits_received_.note(k, row.size(), facts_->vocabulary, "row of logits", "vocabulary_size()");
      sink(destinations_[k].row, destinations_[k].index, row);
    };
    const std::size_t rows = offsets_.size() - 1;
    [[maybe_unused]] const std::size_t length = offsets_[1];
    if constexpr (WithHidden) {
      hidden_received_.expect(wanted_.size(), tokens_.capacity());
      auto take_hidden = [&](std::size_t k, std::span<const float> row) {
        hidden_received_.note(k, row.size(), width_, "hidden state", "hidden_size()");
        hidden(destinations_[k].row, destinations_[k].index, row);
      };
      const token_batch x = view_as_tensor<const token, 2>(tokens_.data(), {rows, length});
      if constexpr (selects_hidden<M>) {
        model_->with_hidden(x, std::span<const std::size_t>{wanted_}, row_sink{take}, row_sink{take_hidden});
      } else {
        const auto& both = model_->with_hidden(x);
        check_shape(both.logits.shape(), {rows, length, vocabulary}, "logits");
        check_shape(both.hidden.shape(), {rows, length, width_}, "hidden states");
        hand_out(both.logits.data(), vocabulary, take);
        hand_out(both.hidden.data(), width_, take_hidden);
      }
      hidden_received_.check("hidden states");
    } else if constexpr (selects_from_ragged_batches<M>) {
      (*model_)(ragged_batch{tokens_, offsets_}, std::span<const std::size_t>{wanted_}, row_sink{take});
    } else if constexpr (scores_ragged_batches<M>) {
      const auto& logits = (*model_)(ragged_batch{tokens_, offsets_});
      check_shape(logits.shape(), {tokens_.size(), vocabulary}, "logits");
      hand_out(logits.data(), vocabulary, take);
    } else {
      const token_batch x = view_as_tensor<const token, 2>(tokens_.data(), {rows, length});
      if constexpr (selective_model<M>) {
        (*model_)(x, std::span<const std::size_t>{wanted_}, row_sink{take});
      } else {
        const auto& logits = (*model_)(x);
        check_shape(logits.shape(), {rows, length, vocabulary}, "logits");
        hand_out(logits.data(), vocabulary, take);
      }
    }
    logits_received_.check("rows of logits");
  }

  template <class Take>
  void hand_out(const float* data, std::size_t width, Take& take) {
    for (std::size_t k = 0; k < wanted_.size(); ++k) take(k, std::span<const float>{data + wanted_[k] * width, width});
  }

  template <class Shape, std::size_t Rank>
  static void check_shape(const Shape& got, const std::size_t (&expected)[Rank], const char* what) {
    bool same = got.size() == Rank;
    for (std::size_t i = 0; same && i < Rank; ++i) same = static_cast<std::size_t>(got[i]) == expected[i];
    if (same) return;
    throw model_error(std::string("model: ") + what + " of shape " + shape_text(got) + ", expected " +
                      shape_text(std::span<const std::size_t>{expected}));
  }

  struct destination {
    std::size_t row;
    std::size_t index;
  };
  M* model_;
  const model_facts* facts_;
  std::size_t rows_per_call_;
  std::size_t width_;
  std::vector<std::size_t> rows_;
  std::vector<std::size_t> took_;
  std::vector<token> tokens_;
  std::vector<std::size_t> offsets_;
  std::vector<std::size_t> wanted_;
  std::vector<destination> destinations_;
  receipt logits_received_;
  receipt hidden_received_;
  struct nothing {};
  template <class Other>
  struct verifying {
    using type = nothing;
  };
  template <draft_verify_model Other>
  struct verifying<Other> {
    using type = draft_verify_scorer<Other>;
  };
  [[no_unique_address]] typename verifying<M>::type verifying_;
};

}  // namespace lacuna
