/// @file
/// @brief likelihood::log_likelihood: log p(x | sigma), the probability of a sequence under speculative sampling in a given
/// order.
///
/// Exact, not a bound: what sample::speculative gives x with when its order is sigma, whatever is drafted, accepted and redrawn
/// on the way (likelihood/recursion.hpp). An order whose rank looks at the model has no such sigma; a random one is a mixture
/// of all, of which likelihood::elbo is a lower bound.
///
/// ```cpp
/// const std::vector<lacuna::token> x = …;                // [L], the whole sequence
/// const std::vector<std::size_t> sigma{2, 0, 3};          // positions in the order in which they come; 1 is given
/// const auto b = lacuna::likelihood::log_likelihood(model, x, sigma, lacuna::window::cosine{0.05}, {.verifications = 3});
/// b.nats; b.bits_per_token();
/// ```
/// Positions that sigma leaves out are given: a prompt, or what stands around a gap. N, of which the window is asked, is the
/// number of the others, as in decoding. Forbidden tokens are removed before the softmax; an x with one, or with a
/// mask where a token should be, has probability 0 (−infinity) and costs nothing. Window 1 is decoding one token at a time.
///
/// Cost: N rows drafted and N verified, as many at once as `rows_per_call` says; O(N W n) time and O(rows_per_call W) memory
/// beside them, W the largest window. Errors: invalid_argument before the first call; model_error for what breaks the contract,
/// and for a position that has no possible token.
/// Source: Self-Speculative Masked Diffusions (arXiv 2510.03929); the windowed form with n verifications is ours,
/// checked by enumeration.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "lacuna/concepts/draft_verify_model.hpp"
#include "lacuna/concepts/model_facts.hpp"
#include "lacuna/concepts/validate.hpp"
#include "lacuna/concepts/window_policy.hpp"
#include "lacuna/core/cost.hpp"
#include "lacuna/core/errors.hpp"
#include "lacuna/core/log_add.hpp"
#include "lacuna/core/row.hpp"
#include "lacuna/core/token.hpp"
#include "lacuna/draw/temperature.hpp"
#include "lacuna/likelihood/bound.hpp"
#include "lacuna/likelihood/recursion.hpp"
#include "lacuna/likelihood/scored.hpp"
#include "lacuna/sample/scorer.hpp"
#include "lacuna/sample/scoring_queue.hpp"

namespace lacuna::likelihood {

/// How it is sampled, and how many rows go into a call.
struct speculation {
  std::size_t verifications = 1;  ///< n, of a draft
  double temperature = 1;         ///< of draft and target
  std::size_t rows_per_call = 64;
};

namespace detail {

/// Scores one sequence and order after another with the memory of the first.
template <draft_verify_model M, window_policy Window>
class speculative_likelihood {
 public:
  /// Throws invalid_argument for parameters out of range. Refers to the model.
  speculative_likelihood(M& model, const Window& window, const speculation& how)
      : facts_{facts_of(model)}, window_{window}, how_{how}, score_{model, facts_, how.rows_per_call} {
    lacuna::validate(window);
    draw::validate_temperature("likelihood", how.temperature);
    if (how.verifications == 0) throw invalid_argument("likelihood: verifications = 0, expected at least 1");
    if (how.rows_per_call == 0) throw invalid_argument("likelihood: rows_per_call = 0, expected at least 1");
  }
  speculative_likelihood(const speculative_likelihood&) = delete;
  speculative_likelihood& operator=(const speculative_likelihood&) = delete;

  bound operator()(std::span<const token> x, std::span<const std::size_t> sigma) {
    check_scored(x, sigma, facts_);
    const std::size_t n = sigma.size();
    bound b;
    b.tokens = n;
    if (!may_be_generated(x, sigma, facts_)) {
      b.nats = -infinity;
      return b;
    }
    known_first(x.size(), sigma);
    log_l_.assign(n + 1, 0.0);
    for (std::size_t i = n; i > 0;) {  // from the end, so that what comes after is known
      const std::size_t rows = std::min(how_.rows_per_call, i);
      b.cost += score(x, sigma, i, rows);
      for (std::size_t r = 0; r < rows; ++r) {
        --i;
        const std::size_t w = last_[r] - i;
        log_l_[i] = speculative_recursion(std::span{log_p_}.subspan(begin_[r], w), std::span{log_q_}.subspan(begin_[r], w),
                                          std::span{log_l_}.subspan(i + 1, w), how_.verifications, scratch_);
      }
    }
    b.nats = log_l_[0];
    return b;
  }

 private:
  /// The order of all positions, what is given first, and the track of each.
  void known_first(std::size_t length, std::span<const std::size_t> sigma) {
    track_.assign(length, length);
    order_.clear();
    for (const std::size_t i : sigma) track_[i] = 0;
    for (std::size_t i = 0; i < length; ++i)
      if (track_[i] == length) order_.push_back(i);
    given_ = order_.size();
    order_.insert(order_.end(), sigma.begin(), sigma.end());
    for (std::size_t d = 0; d < length; ++d) track_[order_[d]] = d;
  }

  /// Row r has i − 1 − r positions revealed. Leaves log a in `log_p_` and log b in `log_q_`, of row r from begin_[r] on.
  nfe score(std::span<const token> x, std::span<const std::size_t> sigma, std::size_t i, std::size_t rows) {
    queue_.clear();
    last_.clear();
    begin_.assign(1, 0);
    for (std::size_t r = 0; r < rows; ++r) {
      const std::size_t revealed = i - 1 - r;
      last_.push_back(revealed + window_size(window_, revealed, sigma.size()));
      begin_.push_back(begin_.back() + last_[r] - revealed);
      const auto tokens = queue_.add_draft(r, r, x.size());
      for (std::size_t l = 0; l < x.size(); ++l) tokens[l] = track_[l] < given_ + revealed ? x[l] : facts_.mask;
      for (std::size_t l = 0; l < x.size(); ++l)
        if (track_[l] >= given_ + revealed && track_[l] < given_ + last_[r]) queue_.want(l);
    }
    for (std::size_t r = 0; r < rows; ++r) {
      const auto row = queue_.add_verification(r, r, x.size(), given_ + i - 1 - r, given_ + last_[r]);
      std::copy(x.begin(), x.end(), row.tokens.begin());
      std::copy(order_.begin(), order_.end(), row.order.begin());
    }
    log_p_.assign(begin_.back(), -infinity);
    log_q_.assign(begin_.back(), -infinity);
    score_.score(queue_, [&](std::size_t row, std::size_t k, std::span<const float> logits) {
      const bool target = row >= rows;
      const std::size_t r = target ? row - rows : row;
      const std::size_t first = given_ + i - 1 - r;
      const std::size_t d = target ? first + k : track_[queue_.wanted(row)[k]];
      (target ? log_q_ : log_p_)[begin_[r] + d - first] = log_probability(logits, x[order_[d]], target, order_[d]);
    });
    for (std::size_t k = 0; k < log_p_.size(); ++k) {
      const double p = log_p_[k];
      const double q = log_q_[k];
      log_p_[k] = std::min(p, q);
      log_q_[k] = log_excess(q, p);
    }
    return cost_of(queue_, 0, queue_.rows(), score_.rows_taken());
  }

  double log_probability(std::span<const float> logits, token t, bool target, std::size_t position) {
    row_.resize(logits.size());
    if (!log_softmax(logits, facts_.forbidden, row_))
      throw model_error(std::string("model: the ") + (target ? "target" : "draft") + " of position " +
                        std::to_string(position) + " has no finite logit for a token that may be generated");
    if (how_.temperature != 1) draw::scale(row_, how_.temperature);
    return row_[static_cast<std::size_t>(t)];
  }

  model_facts facts_;
  Window window_;
  speculation how_;
  scorer<M> score_;
  scoring_queue queue_;
  std::size_t given_ = 0;
  std::vector<std::size_t> order_;  // [L] by track
  std::vector<std::size_t> track_;  // [L] by position
  std::vector<std::size_t> last_;   // [rows] where the window of each ends
  std::vector<std::size_t> begin_;  // [rows + 1] of its numbers
  std::vector<double> log_p_;
  std::vector<double> log_q_;
  std::vector<double> log_l_;  // [N + 1]
  std::vector<double> row_;    // [V]
  std::vector<double> scratch_;
};

}  // namespace detail

/// log p(x | sigma). `sigma` names each position that is not given once.
template <draft_verify_model M, window_policy Window>
bound log_likelihood(M& model, std::span<const token> x, std::span<const std::size_t> sigma, const Window& window,
                     const speculation& how = {}) {
  return detail::speculative_likelihood<M, Window>(model, window, how)(x, sigma);
}

}  // namespace lacuna::likelihood
