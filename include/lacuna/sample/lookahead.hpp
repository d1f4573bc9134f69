/// @file
/// @brief The lossless speed-up of step-by-step decoding: the next steps are guessed, and all guesses scored in one call.
///
/// A pass says something of every masked position, so that the sampler inside can be led on with it past its next step, as if
/// the model would not change its mind. The canvases on that way are scored together: the first as ever, the others in case
/// they are met. Then the sampler inside does its steps for real, on the rows of the canvases that it comes to, as far as the
/// guess was right and one step beyond. Each call so does at least one step, and up to `width`.
///
/// The sampler inside gets what the model says of the very canvases it asks for and nothing else: tokens, order, steps,
/// confidences and what observers see are those without lookahead, for any order, pace, blocks, draw, remasking and ending.
/// Draws are keyed by step and position, so that guesses hold for them too, the better the surer the model is. It needs a model
/// that says the same of a canvas in whatever company (testing/laws.hpp).
///
/// Choose it where calls set the time and rows are nearly free; for tokens at once that need not be those of decoding one by
/// one, choose an order that takes several. sample::speculative is exact as well, but for a fixed order and a law, not for each
/// seed's tokens.
///
/// ```cpp
/// lacuna::sample::lookahead sampler{lacuna::order::top_k{lacuna::rank::entropy{}}, lacuna::draw::argmax{}, 8};
/// lacuna::sample::lookahead guessing{lacuna::compose(order, draw, remask, ending), 8};   // any composition
/// ```
/// Cost: never more calls than the sampler inside has, rows up to `width` times as many. A call that scores guesses counts as
/// purpose::verify with all its rows, one without as purpose::decode; at width 1 there are no guesses. All masked positions of
/// a row are scored, also where the order restricts them. Time: the statistics and draws of each step and of each guess.
/// Memory of a row: (width + 1) · masked · V floats. A sampler that asks for several rows at once (probes) gets them as it
/// asks, without guesses. Errors: width = 0 is refused.
#pragma once

#include <algorithm>
#include <cassert>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "lacuna/concepts/draw_policy.hpp"
#include "lacuna/concepts/model_facts.hpp"
#include "lacuna/concepts/order_policy.hpp"
#include "lacuna/core/canvas.hpp"
#include "lacuna/core/cost.hpp"
#include "lacuna/core/errors.hpp"
#include "lacuna/core/token.hpp"
#include "lacuna/sample/compose.hpp"
#include "lacuna/sample/sampler.hpp"
#include "lacuna/sample/scoring_queue.hpp"

namespace lacuna::sample {

/// Samplers of which a row under way can be copied, to see where it would go.
template <class S>
concept forkable_sampler = row_sampler<S> && std::copyable<typename S::state> && !wants_verification<S>;

template <forkable_sampler Inner>
struct lookahead {
  Inner inner;
  std::size_t width;  ///< most rows in a call, and so most steps a call

  explicit lookahead(Inner sampler, std::size_t rows = 8) : inner{std::move(sampler)}, width{rows} {}
  /// Of compose(order, draw).
  template <order_policy Order, draw_policy Draw>
  lookahead(Order order, Draw draw, std::size_t rows = 8) : inner{compose(std::move(order), std::move(draw))}, width{rows} {}

  static constexpr bool wants_hidden = lacuna::wants_hidden<Inner>;

 private:
  /// A canvas, and what the model says of it.
  struct scored_row {
    std::vector<token> tokens;
    std::vector<std::size_t> positions;  // scored, ascending
    std::vector<float> logits;           // [positions, V]
    std::vector<float> hidden;           // [positions, D]
  };
  /// Of what the row needs for its next step.
  enum class stage : std::uint8_t {
    unknown,  ///< the sampler inside was not asked yet
    missing,  ///< nothing that was scored will do
    queued,   ///< it waits for the model
    at_hand   ///< the sampler inside has it
  };

 public:
  class state {
   public:
    [[nodiscard]] const canvas& sequence() const { return now_.sequence(); }
    [[nodiscard]] std::span<const std::size_t> commit_steps() const { return now_.commit_steps(); }
    [[nodiscard]] std::span<const double> commit_confidences() const { return now_.commit_confidences(); }
    [[nodiscard]] std::size_t steps() const { return now_.steps(); }
    [[nodiscard]] bool ended() const { return now_.ended(); }

   private:
    friend lookahead;
    state(const row_context& context, typename Inner::state now, typename Inner::state guess)
        : context_{context}, now_{std::move(now)}, guess_{std::move(guess)} {}

    row_context context_;
    typename Inner::state now_;
    typename Inner::state guess_;  // goes on from `now_` by what is known
    scoring_queue asked_;          // what the next step of `now_` needs
    scoring_queue guessed_;        // what that of `guess_` would
    stage stage_ = stage::unknown;
    bool as_asked_ = false;         // the rows that are queued go to `now_` as they come
    std::size_t first_row_ = 0;     // of these in the queue
    std::vector<scored_row> rows_;  // [width], of which `count_` are of the last call
    std::size_t count_ = 0;
    std::size_t used_ = never;  // the one that `now_` took last
    scored_row known_;          // what guesses are made of: the row that was taken before the present call
    bool knows_ = false;
    row_scratch scratch_;
  };

  /// Throws invalid_argument if the width is 0, or as the sampler inside does.
  void validate(const model_facts& facts) const {
    if (width == 0) throw invalid_argument("sample::lookahead: width = 0, expected at least 1 row a call");
    inner.validate(facts);
  }

  [[nodiscard]] state init(const row_context& context, canvas start) const {
    const std::size_t length = start.size();
    const std::size_t masked = start.count(cell::masked);
    // made twice and not copied: copies have no memory in reserve
    state s{context, inner.init(context, start), inner.init(context, start)};
    s.rows_.resize(width);
    const auto reserve = [&](scored_row& r) {
      r.tokens.reserve(length);
      r.positions.reserve(length);
      r.logits.reserve(masked * context.facts->vocabulary);
      if constexpr (wants_hidden) r.hidden.reserve(masked * context.width);
    };
    for (scored_row& r : s.rows_) reserve(r);
    reserve(s.known_);
    for (auto* numbers : {&s.scratch_.log_p, &s.scratch_.working}) numbers->reserve(context.facts->vocabulary);
    return s;
  }

  [[nodiscard]] bool done(const state& s) const { return inner.done(s.now_); }

  /// Whether the sampler inside wants hidden states at all, where that is known at run time only.
  [[nodiscard]] bool hidden_wanted() const requires says_whether_hidden<Inner> { return inner.hidden_wanted(); }

  /// Whether what was scored ahead does for the next step.
  bool ready(state& s) const {
    if (s.stage_ != stage::unknown || done(s)) return s.stage_ == stage::at_hand;
    s.asked_.clear();
    inner.request(s.now_, s.asked_, 0);
    s.stage_ = stage::missing;
    if (s.asked_.rows() != 1) return false;
    for (std::size_t r = 0; r < s.count_; ++r) {
      if (!std::ranges::equal(s.rows_[r].tokens, s.asked_.tokens(0)) || !hand_over(s, s.rows_[r], s.asked_, s.now_)) continue;
      s.used_ = r;
      s.stage_ = stage::at_hand;
      return true;
    }
    return false;
  }

  void request(state& s, scoring_queue& queue, std::size_t owner) const {
    if (s.stage_ == stage::queued) {  // the round failed: nothing that came of it is used
      s.count_ = 0;
      s.stage_ = stage::unknown;
    }
    if (ready(s)) return;
    s.stage_ = stage::queued;
    s.first_row_ = queue.rows();
    s.as_asked_ = s.asked_.rows() != 1;
    if (s.as_asked_) {
      for (std::size_t r = 0; r < s.asked_.rows(); ++r)
        add(queue, owner, s.asked_.why(r), s.asked_.tokens(r), s.asked_.wanted(r));
      return;
    }
    if (s.used_ < s.count_) {
      std::swap(s.known_, s.rows_[s.used_]);
      s.knows_ = true;
    }
    s.used_ = never;
    guess(s);
    const purpose why = s.count_ > 1 ? purpose::verify : s.asked_.why(0);
    for (std::size_t r = 0; r < s.count_; ++r) add(queue, owner, why, s.rows_[r].tokens, s.rows_[r].positions);
  }

  void take(state& s, std::size_t row, std::size_t k, std::span<const float> logits, row_scratch& scratch) const {
    if (s.as_asked_) return inner.take(s.now_, row - s.first_row_, k, logits, scratch);
    std::ranges::copy(logits, part(s.rows_[row - s.first_row_].logits, k, logits.size()).begin());
  }
  void take_hidden(state& s, std::size_t row, std::size_t k, std::span<const float> h) const requires wants_hidden {
    if (s.as_asked_) return inner.take_hidden(s.now_, row - s.first_row_, k, h);
    std::ranges::copy(h, part(s.rows_[row - s.first_row_].hidden, k, h.size()).begin());
  }

  /// A step of the sampler inside.
  step_info advance(state& s) const {
    if (s.stage_ == stage::queued && !s.as_asked_) {
      [[maybe_unused]] const bool all = hand_over(s, s.rows_[0], s.asked_, s.now_);
      assert(all && "a row is queued with what was asked for");
      s.used_ = 0;
    }
    s.stage_ = stage::unknown;
    const std::size_t count = std::exchange(s.count_, 0);  // if something is thrown the model is asked again
    const step_info info = inner.advance(s.now_);
    s.count_ = count;
    return info;
  }

 private:
  static std::span<float> part(std::vector<float>& numbers, std::size_t k, std::size_t size) {
    return std::span{numbers}.subspan(k * size, size);
  }

  static void add(scoring_queue& queue, std::size_t owner, purpose why, std::span<const token> tokens,
                  std::span<const std::size_t> wanted) {
    std::ranges::copy(tokens, queue.add(owner, why, tokens.size()).begin());
    for (const std::size_t i : wanted) queue.want(i);
  }

  /// The one row that `asked` holds, with all masked positions wanted, as the next of the call.
  void plan(state& s, const scoring_queue& asked, const canvas& sequence) const {
    scored_row& r = s.rows_[s.count_++];
    const auto tokens = asked.tokens(0);
    const auto wanted = asked.wanted(0);
    r.tokens.assign(tokens.begin(), tokens.end());
    r.positions.clear();
    auto next = wanted.begin();
    for (std::size_t i = 0; i < sequence.size(); ++i) {
      const bool is_wanted = next != wanted.end() && *next == i;
      if (is_wanted) ++next;
      if (is_wanted || sequence.is_masked(i)) r.positions.push_back(i);
    }
    r.logits.resize(r.positions.size() * s.context_.facts->vocabulary);
    if constexpr (wants_hidden) r.hidden.resize(r.positions.size() * s.context_.width);
  }

  /// Plans the call: the row that is asked for, and those that will be if the model says again what it said last.
  void guess(state& s) const {
    s.count_ = 0;
    plan(s, s.asked_, s.now_.sequence());
    if (!s.knows_ || width == 1) return;
    s.guess_ = s.now_;
    const scoring_queue* asked = &s.asked_;
    while (s.count_ < width && hand_over(s, s.known_, *asked, s.guess_)) {
      try {
        inner.advance(s.guess_);
      } catch (const model_error&) {  // nothing known of any position that is left
        return;
      }
      if (inner.done(s.guess_)) return;
      s.guessed_.clear();
      inner.request(s.guess_, s.guessed_, 0);
      if (s.guessed_.rows() != 1) return;
      plan(s, s.guessed_, s.guess_.sequence());
      asked = &s.guessed_;
    }
  }

  /// Gives a row of the sampler inside what it asked for. False, and nothing is given, if `from` does not have it all.
  bool hand_over(state& s, scored_row& from, const scoring_queue& asked, typename Inner::state& to) const {
    const auto wanted = asked.wanted(0);
    if (!std::ranges::includes(from.positions, wanted)) return false;
    std::size_t j = 0;
    for (std::size_t k = 0; k < wanted.size(); ++k) {
      while (from.positions[j] != wanted[k]) ++j;
      inner.take(to, 0, k, part(from.logits, j, s.context_.facts->vocabulary), s.scratch_);
      if constexpr (wants_hidden)
        if (hidden_wanted_now(inner)) inner.take_hidden(to, 0, k, part(from.hidden, j, s.context_.width));
    }
    return true;
  }
};
template <order_policy Order, draw_policy Draw>
lookahead(Order, Draw) -> lookahead<decltype(compose(std::declval<Order>(), std::declval<Draw>()))>;
template <order_policy Order, draw_policy Draw>
lookahead(Order, Draw, std::size_t) -> lookahead<decltype(compose(std::declval<Order>(), std::declval<Draw>()))>;

}  // namespace lacuna::sample
