/// @file
/// @brief Runs the rows of a queue that are to be drafted or verified through a draft_verify_model: the part of scorer for
/// them.
///
/// One call of `draft` and one of `verify` for all rows of a length; `rows_per_call` bounds the rows of a call. What comes is
/// checked as scorer does. What a verification took in rows of the network is the model's to say for the rows of a call
/// together: one each if it took as many, else each row's share by its tracks.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "lacuna/concepts/draft_verify_model.hpp"
#include "lacuna/concepts/model_facts.hpp"
#include "lacuna/core/batch.hpp"
#include "lacuna/core/cost.hpp"
#include "lacuna/core/verify_batch.hpp"
#include "lacuna/sample/receipt.hpp"
#include "lacuna/sample/scoring_queue.hpp"

namespace lacuna {

template <draft_verify_model M>
class draft_verify_scorer {
 public:
  /// `sink(r, k, logits [V])` receives the k-th wanted position or track of row r; `took` [rows of the queue] what the rows
  /// that were verified took. Returns the calls and rows of both.
  template <class Sink>
  nfe::count score(M& model, const model_facts& facts, const scoring_queue& queue, std::size_t rows_per_call, Sink& sink,
                   std::span<std::size_t> took) {
    nfe::count cost;
    for (const row_kind kind : {row_kind::draft, row_kind::verify}) {
      if (queue.rows(kind) == 0) continue;
      rows_.clear();
      rows_.reserve(queue.rows());
      for (std::size_t r = 0; r < queue.rows(); ++r)
        if (queue.kind(r) == kind) rows_.push_back(r);
      std::sort(rows_.begin(), rows_.end(), [&](std::size_t a, std::size_t b) {
        return queue.length(a) != queue.length(b) ? queue.length(a) < queue.length(b) : a < b;
      });
      for (std::size_t first = 0; first < rows_.size();) {
        std::size_t last = first + std::min(rows_per_call, rows_.size() - first);
        while (queue.length(rows_[last - 1]) != queue.length(rows_[first])) --last;
        const std::span<const std::size_t> rows = std::span{rows_}.subspan(first, last - first);
        gather(queue, rows);
        received_.expect(destinations_.size(), tokens_.capacity());
        auto take = [&](std::size_t k, std::span<const float> row) {
          received_.note(k, row.size(), facts.vocabulary, "row of logits", "vocabulary_size()");
          sink(destinations_[k].row, destinations_[k].index, row);
        };
        ++cost.calls;
        cost.rows += kind == row_kind::draft ? draft(model, rows.size(), take) : verify(model, queue, rows, take, took);
        received_.check("rows of logits");
        first = last;
      }
    }
    return cost;
  }

 private:
  struct destination {
    std::size_t row;
    std::size_t index;
  };

  /// Packs rows of one kind and lists where each wanted position or track goes.
  void gather(const scoring_queue& queue, std::span<const std::size_t> rows) {
    for (auto* v : {&slots_, &wanted_, &orders_, &first_, &last_}) v->clear();
    tokens_.clear();
    destinations_.clear();
    for (const std::size_t r : rows) {
      slots_.push_back(queue.slot(r));
      const auto tokens = queue.tokens(r);
      const std::size_t begin = tokens_.size();
      tokens_.insert(tokens_.end(), tokens.begin(), tokens.end());
      // later steps may want more positions than the first one did, or have more rows verified
      for (auto* v : {&wanted_, &orders_}) v->reserve(tokens_.capacity());
      for (auto* v : {&first_, &last_}) v->reserve(slots_.capacity());
      destinations_.reserve(tokens_.capacity());
      if (queue.kind(r) == row_kind::draft) {
        const auto wanted = queue.wanted(r);
        for (std::size_t k = 0; k < wanted.size(); ++k) {
          wanted_.push_back(begin + wanted[k]);
          destinations_.push_back({r, k});
        }
      } else {
        const auto order = queue.order(r);
        orders_.insert(orders_.end(), order.begin(), order.end());
        first_.push_back(queue.first_track(r));
        last_.push_back(queue.last_track(r));
        for (std::size_t k = 0; k < queue.tracks(r); ++k) destinations_.push_back({r, k});
      }
    }
  }

  template <class Take>
  std::size_t draft(M& model, std::size_t rows, Take& take) {
    const token_batch x = view_as_tensor<const token, 2>(tokens_.data(), {rows, tokens_.size() / rows});
    model.draft(x, std::span<const std::size_t>{slots_}, std::span<const std::size_t>{wanted_}, row_sink{take});
    return rows;
  }

  template <class Take>
  std::size_t verify(M& model, const scoring_queue& queue, std::span<const std::size_t> rows, Take& take,
                     std::span<std::size_t> took) {
    const auto total = static_cast<std::size_t>(model.verify({slots_, orders_, tokens_, first_, last_}, row_sink{take}));
    if (total == rows.size()) return total;  // one each, as `took` begins
    const std::size_t tracks = destinations_.size();
    std::size_t before = 0;
    for (const std::size_t r : rows) {
      const std::size_t behind = before + queue.tracks(r);
      took[r] = total * behind / tracks - total * before / tracks;
      before = behind;
    }
    return total;
  }

  std::vector<std::size_t> rows_;
  std::vector<std::size_t> slots_;
  std::vector<token> tokens_;
  std::vector<std::size_t> wanted_;
  std::vector<std::size_t> orders_;
  std::vector<std::size_t> first_;
  std::vector<std::size_t> last_;
  std::vector<destination> destinations_;
  receipt received_;
};

}  // namespace lacuna
