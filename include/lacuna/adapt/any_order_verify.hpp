/// @file
/// @brief adapt::any_order_verify: any model, of whatever rung, as a draft_verify_model that verifies its own draft.
///
/// The target of a track is what the model says of its position with all tokens before it filled in: a verification scores one
/// row for each track that is wanted, all of them in one call. Speculative sampling on it gives the law of decoding one token
/// at a time in the same order, in fewer calls and more rows: choose it where calls set the time and rows are cheap. Needs no
/// training; a network with causal layers of its own (nn) verifies all tracks in one row.
///
/// ```cpp
/// lacuna::adapt::any_order_verify verifying{model};   // refers to the model
/// lacuna::decode(verifying, lacuna::canvas::blank(64), lacuna::sample::speculative{}, seed);
/// ```
/// Cost: `draft` is one call with a row for each; `verify` one call with a row for each wanted track (one for each length, and
/// more if `rows_per_call` says so: a bound on the rows of a call, which are many). Both shares are 1. Facts of the model show
/// through; logits that are shifted are put right. Errors: model_error for what the model breaks, as in decode.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "lacuna/concepts/draft_verify_model.hpp"
#include "lacuna/concepts/model_facts.hpp"
#include "lacuna/concepts/ragged_model.hpp"
#include "lacuna/core/batch.hpp"
#include "lacuna/core/cost.hpp"
#include "lacuna/core/token.hpp"
#include "lacuna/core/verify_batch.hpp"
#include "lacuna/sample/scorer.hpp"
#include "lacuna/sample/scoring_queue.hpp"

namespace lacuna::adapt {

template <decodable_model M>
class any_order_verify {
 public:
  explicit any_order_verify(M& model, std::size_t rows_per_call = unlimited)
      : model_{&model}, facts_{std::make_unique<const model_facts>(facts_of(model))}, score_{model, *facts_, rows_per_call} {}

  [[nodiscard]] std::size_t vocabulary_size() const { return facts_->vocabulary; }
  [[nodiscard]] token mask_token() const { return facts_->mask; }
  [[nodiscard]] std::span<const token> forbidden_tokens() const { return facts_->forbidden; }
  [[nodiscard]] std::optional<token> end_token() const requires has_end_token<M> { return facts_->end; }
  [[nodiscard]] std::size_t max_length() const requires has_max_length<M> { return *facts_->max_length; }
  [[nodiscard]] double draft_share() const { return 1; }
  [[nodiscard]] double verify_share() const { return 1; }

  void draft(const token_batch& x, std::span<const std::size_t> /*slots*/, std::span<const std::size_t> wanted, row_sink sink) {
    const std::size_t length = x.shape(1);
    queue_.clear();
    first_.clear();
    std::size_t k = 0;
    for (std::size_t b = 0; b < x.shape(0); ++b) {
      const std::span<token> row = queue_.add(b, purpose::draft, length);
      std::copy_n(x.data() + b * length, length, row.begin());
      first_.push_back(k);
      for (; k < wanted.size() && wanted[k] < (b + 1) * length; ++k) queue_.want(wanted[k] - b * length);
    }
    score_.score(queue_, [&](std::size_t r, std::size_t j, std::span<const float> row) { sink(first_[r] + j, row); });
  }

  std::size_t verify(const verify_batch& v, row_sink sink) {
    queue_.clear();
    for (std::size_t b = 0; b < v.rows(); ++b)
      for (std::size_t d = v.first[b]; d < v.last[b]; ++d) {
        const std::span<token> row = queue_.add(b, purpose::verify, v.length());
        std::fill(row.begin(), row.end(), facts_->mask);
        for (std::size_t e = 0; e < d; ++e) row[v.order(b)[e]] = v.row(b)[v.order(b)[e]];
        queue_.want(v.order(b)[d]);
      }
    score_.score(queue_, [&](std::size_t r, std::size_t /*one*/, std::span<const float> row) { sink(r, row); });
    return queue_.rows();
  }

  /// The model inside.
  [[nodiscard]] M& model() const { return *model_; }

 private:
  M* model_;
  std::unique_ptr<const model_facts> facts_;  // at an address that moving does not change
  scorer<M> score_;
  scoring_queue queue_;
  std::vector<std::size_t> first_;  // index of the first wanted position of each row
};

}  // namespace lacuna::adapt
