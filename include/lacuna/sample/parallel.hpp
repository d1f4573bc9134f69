/// @file
/// @brief The parallel sampler: one pass a step, an order policy picks the set, a draw policy the tokens.
///
/// One loop for unconditional generation, prompts, infill and blocks: all of these are canvases and order policies. A step
/// costs one row of one call. Per step and row: O(n V) for the statistics and draws of n candidates, plus what the policies
/// take. Tokens are drawn for all candidates before the order is asked, from streams keyed by position, so that an order can
/// rank by the drawn token and the draw does not depend on the order's choice.
///
/// Every step without remasking unmasks at least one position, so that a run takes at most as many steps as there are masks,
/// whatever model and policies say: a position whose row is unusable waits, an order that selects nothing gets the first
/// candidate, one that restricts to nothing gets the first masked position. With remasking a step may reveal nothing; a run
/// ends when the order's clock has run out and nothing is masked, and the clock is made to run down.
#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "lacuna/concepts/draw_policy.hpp"
#include "lacuna/concepts/model_facts.hpp"
#include "lacuna/concepts/order_policy.hpp"
#include "lacuna/concepts/remask_policy.hpp"
#include "lacuna/concepts/validate.hpp"
#include "lacuna/core/canvas.hpp"
#include "lacuna/core/errors.hpp"
#include "lacuna/core/random.hpp"
#include "lacuna/core/row.hpp"
#include "lacuna/core/selection.hpp"
#include "lacuna/core/statistics.hpp"
#include "lacuna/core/step_view.hpp"
#include "lacuna/sample/close_behind.hpp"
#include "lacuna/sample/ending.hpp"
#include "lacuna/sample/sampler.hpp"
#include "lacuna/sample/scoring_queue.hpp"

namespace lacuna {

/// Committed tokens stay.
struct no_remask {
  static constexpr statistics needs = statistics::none;
};

/// A remasking policy fits an order that knows its number of steps; no_remask fits any.
template <class R, class Order>
concept remask_for = std::same_as<R, no_remask> ||(remask_policy<R>&& timed_order_policy<Order>);

namespace sample {

template <order_policy Order, draw_policy Draw, remask_for<Order> Remask = no_remask, ending_policy Ending = ending::ignore>
struct parallel {
  Order order{};
  Draw draw{};
  Remask remask{};
  Ending ending{};

  /// All that some policy of the composition needs.
  static constexpr statistics needs = needs_of<Order> | needs_of<Remask>;
  static constexpr bool remasks = !std::same_as<Remask, no_remask>;
  static constexpr bool wants_hidden = contains(needs, statistics::hidden);
  static constexpr bool scores_committed = remasks && contains(needs, statistics::committed);

  class state {
   public:
    [[nodiscard]] const canvas& sequence() const { return canvas_; }
    [[nodiscard]] std::span<const std::size_t> commit_steps() const { return commit_step_; }
    [[nodiscard]] std::span<const double> commit_confidences() const { return commit_confidence_; }
    [[nodiscard]] std::size_t steps() const { return step_; }
    [[nodiscard]] bool ended() const { return end_at_ != never; }

   private:
    friend parallel;
    row_context context_;
    canvas canvas_;
    memory_of<Order> memory_{};
    std::size_t step_ = 0;
    std::size_t masked_at_start_ = 0;
    std::size_t masked_ = 0;
    std::optional<std::size_t> remaining_;  // with remasking, steps after the last one by the order's clock
    std::size_t deadline_ = 0;              // step at which that clock has run out at the latest
    std::size_t end_at_ = never;            // position of the end token that closed the row
    std::size_t candidates_ = 0;            // of the step under way
    time_step time_{};                      // its place on the order's grid
    double remask_rate_ = 0;

    // by position, [L]
    std::vector<std::size_t> commit_step_;
    std::vector<double> commit_confidence_;

    // what is scored in this step, ascending by position; candidates are packed to the front of the arrays before a policy sees
    // them
    std::vector<std::size_t> masked_positions_;
    std::vector<std::size_t> committed_positions_;
    std::vector<std::size_t> wanted_;   // position of the k-th scored row
    std::vector<std::uint8_t> usable_;  // [wanted]
    std::vector<std::size_t> positions_;
    std::vector<std::size_t> slots_;
    std::vector<token> drawn_;
    std::vector<double> drawn_log_p_;
    std::vector<double> confidence_;
    std::vector<double> margin_;
    std::vector<double> entropy_;
    std::vector<double> rows_;
    std::vector<float> hidden_;

    // committed positions as the remasking policy sees them
    std::vector<std::size_t> committed_steps_;
    std::vector<double> committed_then_;
    std::vector<double> committed_now_;  // by slot in wanted_, then packed

    selection selected_;
    selection remasked_;
    std::vector<std::size_t> just_committed_;
    std::vector<double> just_confidence_;
    std::vector<std::size_t> just_remasked_;
  };

  /// Throws invalid_argument if a policy's parameter is out of range, or if the end token should stop a row and the model has
  /// none.
  void validate(const model_facts& facts) const {
    lacuna::validate(order);
    lacuna::validate(draw);
    lacuna::validate(remask);
    if ((Ending::stops || Ending::defers) && !facts.end)
      throw invalid_argument("sampler: the ending policy needs a model with end_token(), this one has none");
  }

  [[nodiscard]] state init(const row_context& context, canvas start) const {
    state s;
    const std::size_t length = start.size();
    s.context_ = context;
    s.canvas_ = std::move(start);
    s.masked_at_start_ = s.masked_ = s.canvas_.count(cell::masked);
    s.commit_step_.assign(length, never);
    s.commit_confidence_.assign(length, 0.0);
    const std::size_t most = remasks ? length : s.masked_;
    for (auto* v : {&s.masked_positions_, &s.wanted_, &s.positions_, &s.slots_, &s.just_committed_}) v->reserve(most);
    for (auto* v : {&s.drawn_log_p_, &s.just_confidence_}) v->reserve(most);
    s.usable_.reserve(most);
    s.drawn_.reserve(most);
    if constexpr (contains(needs, statistics::confidence)) s.confidence_.reserve(most);
    if constexpr (contains(needs, statistics::margin)) s.margin_.reserve(most);
    if constexpr (contains(needs, statistics::entropy)) s.entropy_.reserve(most);
    s.selected_.reset(most);
    if constexpr (remasks) {
      for (auto* v : {&s.committed_positions_, &s.committed_steps_, &s.just_remasked_}) v->reserve(most);
      for (auto* v : {&s.committed_then_, &s.committed_now_}) v->reserve(most);
      s.remasked_.reset(most);
    }
    return s;
  }

  /// Nothing is masked any more and, with remasking, the order's clock has run out.
  [[nodiscard]] bool done(const state& s) const {
    if (s.step_ == 0 && s.masked_ == 0) return true;
    if constexpr (remasks)
      if (s.remaining_ != 0) return false;
    return s.masked_ == 0;
  }

  void request(state& s, scoring_queue& queue, std::size_t owner) const {
    const std::size_t length = s.canvas_.size();
    s.masked_positions_.clear();
    s.committed_positions_.clear();
    for (std::size_t i = 0; i < length; ++i) {
      if (s.canvas_.is_masked(i)) s.masked_positions_.push_back(i);
      if constexpr (remasks)
        if (may_remask(s, i)) s.committed_positions_.push_back(i);
    }
    if constexpr (restricting_order_policy<Order>) {
      order.restrict_to(s.canvas_, s.memory_, s.masked_positions_);
      check_restricted(s.masked_positions_, "masked", [&](std::size_t i) { return i < length && s.canvas_.is_masked(i); });
      for (std::size_t i = 0; s.masked_ > 0 && s.masked_positions_.empty(); ++i)
        if (s.canvas_.is_masked(i)) s.masked_positions_.push_back(i);
      if constexpr (remasks) {
        order.restrict_to(s.canvas_, s.memory_, s.committed_positions_);
        check_restricted(s.committed_positions_, "committed", [&](std::size_t i) { return i < length && may_remask(s, i); });
      }
    }
    if constexpr (scores_committed) {
      s.wanted_.resize(s.masked_positions_.size() + s.committed_positions_.size());
      std::merge(s.masked_positions_.begin(), s.masked_positions_.end(), s.committed_positions_.begin(),
                 s.committed_positions_.end(), s.wanted_.begin());
    } else {
      s.wanted_.assign(s.masked_positions_.begin(), s.masked_positions_.end());
    }
    const std::size_t n = s.wanted_.size();
    s.usable_.assign(n, 0);
    s.positions_.assign(s.wanted_.begin(), s.wanted_.end());
    s.slots_.resize(n);
    s.drawn_.resize(n);
    s.drawn_log_p_.resize(n);
    if constexpr (contains(needs, statistics::confidence)) s.confidence_.resize(n);
    if constexpr (contains(needs, statistics::margin)) s.margin_.resize(n);
    if constexpr (contains(needs, statistics::entropy)) s.entropy_.resize(n);
    if constexpr (scores_committed) s.committed_now_.assign(n, -infinity);
    if constexpr (contains(needs, statistics::rows)) grow(s.rows_, n * s.context_.facts->vocabulary);
    if constexpr (wants_hidden) grow(s.hidden_, n * s.context_.width);
    if (n == 0) return;
    const auto tokens = queue.add(owner, purpose::decode, length);
    for (std::size_t i = 0; i < length; ++i) tokens[i] = s.canvas_.is_masked(i) ? s.context_.facts->mask : s.canvas_[i];
    for (const std::size_t i : s.wanted_) queue.want(i);
  }

  /// The logits of the k-th wanted position.
  void take(state& s, std::size_t /*row*/, std::size_t k, std::span<const float> logits, row_scratch& scratch) const {
    const std::size_t v = logits.size();
    const std::size_t position = s.wanted_[k];
    scratch.log_p.resize(v);
    const bool usable = log_softmax(logits, s.context_.facts->forbidden, scratch.log_p);
    if (!s.canvas_.is_masked(position)) {
      if constexpr (scores_committed)
        if (usable) s.committed_now_[k] = scratch.log_p[static_cast<std::size_t>(s.canvas_[position])];
      return;
    }
    s.usable_[k] = usable ? 1 : 0;
    if (!usable) return;
    const row_statistics stats = statistics_of<needs>(scratch.log_p);
    if constexpr (contains(needs, statistics::confidence)) s.confidence_[k] = stats.confidence;
    if constexpr (contains(needs, statistics::margin)) s.margin_[k] = stats.margin;
    if constexpr (contains(needs, statistics::entropy)) s.entropy_[k] = stats.entropy;
    if constexpr (contains(needs, statistics::rows))
      std::copy(scratch.log_p.begin(), scratch.log_p.end(), s.rows_.begin() + static_cast<std::ptrdiff_t>(k * v));
    scratch.working.assign(scratch.log_p.begin(), scratch.log_p.end());
    random_stream rng(s.context_.seed, stream_use::draw, s.context_.stream, s.step_, position);
    const token t = draw.draw(std::span<double>{scratch.working}, rng);
    if (t < 0 || static_cast<std::size_t>(t) >= v || !(scratch.log_p[static_cast<std::size_t>(t)] > -infinity))
      throw error("draw policy: returned token " + std::to_string(t) + ", which has no probability at position " +
                  std::to_string(position));
    s.drawn_[k] = t;
    s.drawn_log_p_[k] = scratch.log_p[static_cast<std::size_t>(t)];
  }

  /// The hidden state of the k-th wanted position.
  void take_hidden(state& s, std::size_t /*row*/, std::size_t k, std::span<const float> h) const requires wants_hidden {
    std::copy(h.begin(), h.end(), s.hidden_.begin() + static_cast<std::ptrdiff_t>(k * h.size()));
  }

  /// One step with what was taken. Throws model_error if none of the scored positions can be decoded.
  step_info advance(state& s) const {
    prepare(s);
    return finish(s);
  }

  // ---- The two halves of a step, for samplers that put something between them

  /// Sorts out the candidates and asks what is to be masked again.
  void prepare(state& s) const {
    s.just_committed_.clear();
    s.just_confidence_.clear();
    s.just_remasked_.clear();
    s.candidates_ = pack_candidates(s);
    s.time_ = {};
    s.remask_rate_ = 0;
    if constexpr (remasks) mask_again(s);
  }
  /// What the order sees between `prepare` and `finish`; ends with the next call that changes the state, or when it is moved.
  [[nodiscard]] step_view view(const state& s) const { return view_of(s, s.candidates_); }
  /// What the order remembers.
  [[nodiscard]] memory_of<Order>& memory(state& s) const { return s.memory_; }
  /// The order's random numbers in this step.
  [[nodiscard]] step_random order_random(const state& s) const { return random(s, stream_use::order); }
  /// What the row's run depends on.
  [[nodiscard]] const row_context& context(const state& s) const { return s.context_; }
  /// The order selects, tokens are committed, the step is done.
  step_info finish(state& s) const {
    if (s.candidates_ > 0) {
      s.selected_.reset(s.candidates_);
      const step_view now = view(s);
      lacuna::select(order, now, s.memory_, s.selected_, order_random(s));
      if (s.selected_.empty() && !may_reveal_nothing(s)) s.selected_.add(0);
      for (const std::size_t k : s.selected_.chosen()) commit(s, k);
    }
    for (const std::size_t i : s.just_remasked_) s.canvas_.mask(i);
    if constexpr (Ending::stops) close_behind_end(s);
    ++s.step_;
    return {s.just_committed_, s.just_confidence_, s.just_remasked_};
  }

 private:
  /// Holds as many rows as were ever wanted in one step: for blocks much less than the canvas.
  template <class T>
  static void grow(std::vector<T>& v, std::size_t size) {
    if (v.size() < size) v.resize(size);
  }

  /// Where tokens are masked again, the order's clock ends the run; everywhere else a step must get on.
  static bool may_reveal_nothing(const state& s) { return remasks && s.remaining_ > 0U; }

  /// Committed in this run, so that its step and confidence are known, and not the end token that closed the row.
  static bool may_remask(const state& s, std::size_t i) {
    return s.canvas_.is_committed(i) && s.commit_step_[i] != never && i != s.end_at_;
  }

  /// Throws `error` unless what an order has left of a list may have been in it, ascending.
  template <class Listed>
  static void check_restricted(const std::vector<std::size_t>& positions, const char* state_name, Listed listed) {
    for (std::size_t k = 0; k < positions.size(); ++k)
      if (!listed(positions[k]) || (k > 0 && positions[k] <= positions[k - 1]))
        throw error("order policy: restrict_to left position " + std::to_string(positions[k]) +
                    (k > 0 ? " after " + std::to_string(positions[k - 1]) : std::string{}) + ", expected " + state_name +
                    " positions in ascending order");
  }

  static step_random random(const state& s, stream_use use) { return {s.context_.seed, use, s.context_.stream, s.step_}; }

  /// Moves the rows a policy may choose from to the front of the arrays and returns their number.
  std::size_t pack_candidates(state& s) const {
    bool any_usable = false;
    bool any_not_end = false;
    for (std::size_t k = 0; k < s.wanted_.size(); ++k) {
      if (s.usable_[k] == 0) continue;
      any_usable = true;
      if constexpr (Ending::defers) any_not_end = any_not_end || s.drawn_[k] != *s.context_.facts->end;
    }
    if (!any_usable && !s.masked_positions_.empty())
      throw model_error("model: step " + std::to_string(s.step_) + ": none of the " +
                        std::to_string(s.masked_positions_.size()) + " masked positions scored (the first is " +
                        std::to_string(s.masked_positions_.front()) + ") has a finite logit for a token that may be generated");
    std::size_t n = 0;
    for (std::size_t k = 0; k < s.wanted_.size(); ++k) {
      if (s.usable_[k] == 0) continue;
      if constexpr (Ending::defers)
        if (any_not_end && s.drawn_[k] == *s.context_.facts->end) continue;
      s.positions_[n] = s.wanted_[k];
      s.slots_[n] = k;
      s.drawn_[n] = s.drawn_[k];
      s.drawn_log_p_[n] = s.drawn_log_p_[k];
      if constexpr (contains(needs, statistics::confidence)) s.confidence_[n] = s.confidence_[k];
      if constexpr (contains(needs, statistics::margin)) s.margin_[n] = s.margin_[k];
      if constexpr (contains(needs, statistics::entropy)) s.entropy_[n] = s.entropy_[k];
      ++n;
    }
    return n;
  }

  static step_view view_of(const state& s, std::size_t n) {
    step_view v;
    v.sequence = &s.canvas_;
    v.step = s.step_;
    v.masked_at_start = s.masked_at_start_;
    v.masked_now = s.masked_;
    v.vocabulary = s.context_.facts->vocabulary;
    v.positions = std::span{s.positions_}.first(n);
    v.slots = std::span{s.slots_}.first(n);
    v.drawn = std::span{s.drawn_}.first(n);
    v.drawn_log_probability = std::span{s.drawn_log_p_}.first(n);
    if constexpr (contains(needs, statistics::confidence)) v.confidences = std::span{s.confidence_}.first(n);
    if constexpr (contains(needs, statistics::margin)) v.margins = std::span{s.margin_}.first(n);
    if constexpr (contains(needs, statistics::entropy)) v.entropies = std::span{s.entropy_}.first(n);
    if constexpr (contains(needs, statistics::rows)) v.rows = s.rows_;
    if constexpr (wants_hidden) {
      v.hidden_states = s.hidden_;
      v.width = s.context_.width;
    }
    v.time = s.time_;
    v.remask_rate = s.remask_rate_;
    return v;
  }

  /// Asks the remasking policy; the chosen positions stay out of this step and are masked at its end.
  void mask_again(state& s) const {
    s.time_ = order.time(view(s), s.memory_);
    // Whatever the order says, its clock runs out: it may overrun what it first said by a step for each mask, no more.
    if (!s.remaining_) s.deadline_ = s.time_.remaining + std::min(s.masked_at_start_, never - s.time_.remaining);
    s.time_.remaining = std::min(s.time_.remaining, s.deadline_ - std::min(s.deadline_, s.step_));
    s.remaining_ = s.time_.remaining;
    if (s.remaining_ == 0) return;
    if constexpr (has_remask_rate<Remask>) s.remask_rate_ = remask.rate(s.time_);  // also while nothing is committed
    if (s.committed_positions_.empty()) return;
    s.committed_steps_.clear();
    s.committed_then_.clear();
    std::size_t m = 0;
    for (const std::size_t i : s.committed_positions_) {
      s.committed_steps_.push_back(s.commit_step_[i]);
      s.committed_then_.push_back(std::log(s.commit_confidence_[i]));
      if constexpr (scores_committed) {
        const auto k = std::lower_bound(s.wanted_.begin(), s.wanted_.end(), i) - s.wanted_.begin();
        s.committed_now_[m++] = s.committed_now_[static_cast<std::size_t>(k)];
      }
    }
    committed_view committed{s.committed_positions_, s.committed_steps_, s.committed_then_, {}};
    if constexpr (scores_committed) committed.log_probability = std::span{s.committed_now_}.first(m);
    s.remasked_.reset(s.committed_positions_.size());
    remask.remask(view(s), committed, s.remasked_, random(s, stream_use::remask));
    for (const std::size_t j : s.remasked_.chosen()) {
      const std::size_t i = s.committed_positions_[j];
      s.just_remasked_.push_back(i);
      s.commit_step_[i] = never;
      s.commit_confidence_[i] = 0;
    }
    s.masked_ += s.just_remasked_.size();
  }

  static void commit(state& s, std::size_t k) {
    const std::size_t i = s.positions_[k];
    const double p = std::exp(s.drawn_log_p_[k]);
    s.canvas_.commit(i, s.drawn_[k]);
    s.commit_step_[i] = s.step_;
    s.commit_confidence_[i] = p;
    s.just_committed_.push_back(i);
    s.just_confidence_.push_back(p);
    --s.masked_;
  }

  /// Closes what lies behind the first end token committed so far. What was still masked there counts from then on as if it had
  /// never been asked for, so that a pace spreads what is left over the steps that are left.
  static void close_behind_end(state& s) {
    const token end = *s.context_.facts->end;
    s.end_at_ = first_end(s.canvas_, s.just_committed_, end, s.end_at_);
    if (s.end_at_ == never) return;
    const std::size_t closed = close_behind(s.canvas_, s.end_at_, end, s.commit_step_, s.commit_confidence_);
    s.masked_ -= closed;
    s.masked_at_start_ -= closed;
    forget_behind(s.end_at_, s.just_committed_, s.just_confidence_);
    std::erase_if(s.just_remasked_, [&](std::size_t i) { return i > s.end_at_; });
  }
};

}  // namespace sample
}  // namespace lacuna
