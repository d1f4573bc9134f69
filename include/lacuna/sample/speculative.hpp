/// @file
/// @brief The speculative sampler: a draft of many positions, verified by the target of the same model, exact for that target.
///
/// A step is one draft and up to n verifications of it. The draft p gives each masked position on its own; a verification the
/// target q of each, given the tokens before it in an order sigma. A drafted token is accepted with probability min(1, q/p);
/// the first one that is not is redrawn from max(0, q − p), normalised, and ends the verification. Drafts behind it are kept
/// for the next one. So every token is a draw from its target, given the tokens before it and what the last draft had seen,
/// however bad the draft: that costs passes. At least one position is decoded in a step.
///
/// ```cpp
/// lacuna::sample::speculative sampler{lacuna::rank::random{}, lacuna::window::cosine{0.01}, 3};
/// lacuna::decode_result r = lacuna::decode(model, lacuna::canvas::blank(256), sampler, seed);
/// lacuna::full_passes(r.cost, model);   // in passes of the whole network
/// ```
/// Fits every draft_verify_model; `adapt::any_order_verify` makes one of any other model.
///
/// - **order**: sigma, best rank first, of the masked positions (of the present block); it begins with what is known. Ranked
///   anew in each step, after the draft, from the draft's statistics. A random rank gives the law of one sigma drawn at the
///   start: what a step decodes does not depend on the order of what it leaves. Left to right, or any rank that does not look
///   at the model, gives that order. With a rank that does, the next position depends on the tokens so far, as in any
///   confidence-based order: exact for the target in that adaptive order, for which the likelihood of a fixed sigma does not
///   stand. `drawn` is the most likely token of a candidate: the draft is drawn when sigma is known, else it would bias it.
///   Ranks that say `before_pass` have the window's positions scored and no others. In a trace, the committed positions in
///   their order are sigma.
/// - **window**: W(i) of N positions. N are those to decode when the run began, without what an end of sequence has closed
///   since; i of them are decoded. Fixed positions, a prompt, count in neither. In a block, both are the block's.
/// - **verifications**: n, at least 1; no more are made than the window needs.
/// - **temperature**: of draft and target alike, after the removal of forbidden tokens; 0 is the greedy target. Statistics and
///   confidences are at temperature 1.
/// - **block**: positions of a block (order::blocks has the same), the whole canvas by default. The next begins when one is
///   decoded; only its positions are drafted.
/// - **ending**: as for parallel. With ending::stop a verification, and the step, ends with the end token that it accepts; with
///   ending::last positions for which it was drafted stay out of the window while others were drafted, and one drawn by the
///   target ends the verification before it, unless nothing was accepted.
///
/// Confidence is the target's probability of the token. Cost: a step is 1 call of `draft` and up to n of `verify`, those of all
/// rows of a batch together. Time O(V) for each scored position and track, memory O(V) doubles for each scored position of a
/// row. Errors: parameters out of range; a rank that needs hidden states does not compile. A draft without a single possible
/// token waits, as in parallel; a target without one that is reached is a model_error with the track.
/// Source: Self-Speculative Masked Diffusions (arXiv 2510.03929); Leviathan et al. 2023, arXiv 2211.17192, for the rule.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "lacuna/concepts/model_facts.hpp"
#include "lacuna/concepts/rank_policy.hpp"
#include "lacuna/concepts/validate.hpp"
#include "lacuna/concepts/window_policy.hpp"
#include "lacuna/core/block_range.hpp"
#include "lacuna/core/canvas.hpp"
#include "lacuna/core/errors.hpp"
#include "lacuna/core/pick.hpp"
#include "lacuna/core/random.hpp"
#include "lacuna/core/row.hpp"
#include "lacuna/core/statistics.hpp"
#include "lacuna/core/step_view.hpp"
#include "lacuna/draw/temperature.hpp"
#include "lacuna/rank/random.hpp"
#include "lacuna/rank/ranking.hpp"
#include "lacuna/sample/close_behind.hpp"
#include "lacuna/sample/ending.hpp"
#include "lacuna/sample/sampler.hpp"
#include "lacuna/sample/scoring_queue.hpp"
#include "lacuna/window/none.hpp"

namespace lacuna::sample {

template <rank_policy Order = rank::random, window_policy Window = window::none, ending_policy Ending = ending::ignore>
struct speculative {
  Order order{};
  Window window{};
  std::size_t verifications = 1;
  double temperature = 1;
  std::size_t block = std::numeric_limits<std::size_t>::max();
  Ending ending{};

  static constexpr bool wants_verification = true;
  static constexpr statistics needs = needs_of<Order>;
  static_assert(!contains(needs, statistics::hidden), "sample::speculative: drafts come without hidden states");

  class state {
   public:
    [[nodiscard]] const canvas& sequence() const { return canvas_; }
    [[nodiscard]] std::span<const std::size_t> commit_steps() const { return commit_step_; }
    [[nodiscard]] std::span<const double> commit_confidences() const { return commit_confidence_; }
    [[nodiscard]] std::size_t steps() const { return step_; }
    [[nodiscard]] bool ended() const { return end_at_ != never; }

   private:
    friend speculative;
    /// A drafted position; in the order of sigma.
    struct track {
      std::size_t position;
      std::size_t scored;  // index of its row among those drafted
      token value;         // drafted, or redrawn
      double confidence;   // of the value, once it is decided
      bool redrawn;
    };

    row_context context_;
    canvas canvas_;
    std::size_t step_ = 0;
    std::size_t masked_ = 0;
    std::size_t end_at_ = never;  // position of the end token that closed the row
    std::size_t stage_ = 0;       // what is asked for next: 0 the draft, then its verifications
    std::size_t asked_ = 0;       // the stage under way
    block_range range_{};         // the present block
    std::size_t revealed_ = 0;    // positions decoded in it

    // by position, [L]
    std::vector<std::size_t> commit_step_;
    std::vector<double> commit_confidence_;
    std::vector<std::uint8_t> drafted_;  // in the window

    // the draft; candidates are packed to the front of the arrays before the order sees them
    rank::ranking ranking_;
    std::size_t size_ = 0;              // of the window
    std::vector<std::size_t> wanted_;   // position of the k-th scored row
    std::vector<std::uint8_t> usable_;  // [wanted]
    std::vector<std::size_t> sigma_;    // scored rows, best first
    std::vector<std::size_t> positions_;
    std::vector<std::size_t> slots_;
    std::vector<token> best_;
    std::vector<double> best_log_p_;
    std::vector<double> confidence_;
    std::vector<double> margin_;
    std::vector<double> entropy_;
    std::vector<double> rows_;  // [wanted, V] log-probabilities, then p of those in the window

    // its verification
    std::vector<track> window_;
    std::vector<track> waiting_;     // drafted as end tokens that are to come last
    std::size_t known_ = 0;          // tracks before the window
    std::size_t decided_ = 0;        // tracks of the window that have their token
    std::size_t refused_ = never;    // the first track whose draft is refused,
    token redrawn_ = 0;              // its token,
    double redrawn_confidence_ = 0;  // and the probability of that
    std::size_t unusable_ = never;   // the first track without a usable target
    bool ends_ = false;              // an end token stops the step

    std::vector<std::size_t> just_committed_;
    std::vector<double> just_confidence_;
    std::vector<std::size_t> just_redrawn_;
  };

  /// Throws invalid_argument if a parameter is out of range, or if the end token should stop a row and the model has none.
  void validate(const model_facts& facts) const {
    lacuna::validate(order);
    lacuna::validate(window);
    if (verifications == 0) throw invalid_argument("sample::speculative: verifications = 0, expected at least 1");
    draw::validate_temperature("sample::speculative", temperature);
    if (block == 0) throw invalid_argument("sample::speculative: block = 0, expected at least 1 position");
    if ((Ending::stops || Ending::defers) && !facts.end)
      throw invalid_argument("sampler: the ending policy needs a model with end_token(), this one has none");
  }

  [[nodiscard]] state init(const row_context& context, canvas start) const {
    state s;
    const std::size_t length = start.size();
    s.context_ = context;
    s.canvas_ = std::move(start);
    const std::size_t most = s.masked_ = s.canvas_.count(cell::masked);
    s.commit_step_.assign(length, never);
    s.commit_confidence_.assign(length, 0.0);
    s.drafted_.assign(length, 0);
    for (auto* v : {&s.wanted_, &s.sigma_, &s.positions_, &s.slots_, &s.just_committed_, &s.just_redrawn_}) v->reserve(most);
    s.usable_.reserve(most);
    s.just_confidence_.reserve(most);
    if constexpr (!rank_before_pass<Order>) {
      s.best_.reserve(most);
      s.best_log_p_.reserve(most);
      if constexpr (contains(needs, statistics::confidence)) s.confidence_.reserve(most);
      if constexpr (contains(needs, statistics::margin)) s.margin_.reserve(most);
      if constexpr (contains(needs, statistics::entropy)) s.entropy_.reserve(most);
    }
    s.rows_.reserve(most_scored(most) * context.facts->vocabulary);
    s.window_.reserve(most);
    if constexpr (Ending::defers) s.waiting_.reserve(most);
    return s;
  }

  [[nodiscard]] bool done(const state& s) const { return s.masked_ == 0; }

  void request(state& s, scoring_queue& queue, std::size_t owner) const {
    s.asked_ = s.stage_;
    s.stage_ = 0;  // if the round fails the step begins anew
    if (s.asked_ == 0)
      request_draft(s, queue, owner);
    else
      request_verification(s, queue, owner);
  }

  void take(state& s, std::size_t /*row*/, std::size_t k, std::span<const float> logits, row_scratch& scratch) const {
    if (s.asked_ == 0)
      take_draft(s, k, logits, scratch);
    else
      take_target(s, s.decided_ + k, logits, scratch);
  }

  /// Draws the draft, or decides on what was verified. Throws model_error if nothing can be drafted, or a target is unusable.
  step_info advance(state& s) const {
    if (s.asked_ == 0) {
      draw_window(s);
      s.stage_ = 1;
      return {};
    }
    decide(s);
    if (s.decided_ < s.window_.size() && s.asked_ < verifications && !s.ends_) {
      s.stage_ = s.asked_ + 1;
      return {};
    }
    return finish(s);
  }

 private:
  static step_random random(const state& s, stream_use use) { return {s.context_.seed, use, s.context_.stream, s.step_}; }

  static std::span<double> row(state& s, std::size_t scored) {
    const std::size_t v = s.context_.facts->vocabulary;
    return std::span{s.rows_}.subspan(scored * v, v);
  }

  // ---- The draft

  /// Positions scored in a draft at the most, so that a later and larger one need not ask for memory.
  [[nodiscard]] std::size_t most_scored(std::size_t masked) const {
    const std::size_t total = std::min(masked, block);
    if constexpr (!rank_before_pass<Order>) return total;
    std::size_t most = 0;
    for (std::size_t i = 0; i < total; ++i) most = std::max(most, window_size(window, i, total));
    return most;
  }

  void request_draft(state& s, scoring_queue& queue, std::size_t owner) const {
    const std::size_t length = s.canvas_.size();
    if (const block_range now = first_masked_block(s.canvas_, block); now != s.range_) {
      s.range_ = now;
      s.revealed_ = 0;
    }
    s.wanted_.clear();
    for (std::size_t i = s.range_.first; i < s.range_.last; ++i)
      if (s.canvas_.is_masked(i)) s.wanted_.push_back(i);
    s.size_ = window_size(window, s.revealed_, s.revealed_ + s.wanted_.size());
    if constexpr (rank_before_pass<Order>) choose_before_pass(s);
    const std::size_t n = s.wanted_.size();
    s.usable_.assign(n, 0);
    if (const std::size_t numbers = n * s.context_.facts->vocabulary; s.rows_.size() < numbers) s.rows_.resize(numbers);
    if constexpr (!rank_before_pass<Order>) {
      s.best_.resize(n);
      s.best_log_p_.resize(n);
      if constexpr (contains(needs, statistics::confidence)) s.confidence_.resize(n);
      if constexpr (contains(needs, statistics::margin)) s.margin_.resize(n);
      if constexpr (contains(needs, statistics::entropy)) s.entropy_.resize(n);
    }
    const auto tokens = queue.add_draft(owner, s.context_.slot, length);
    for (std::size_t i = 0; i < length; ++i) tokens[i] = s.canvas_.is_masked(i) ? s.context_.facts->mask : s.canvas_[i];
    for (const std::size_t i : s.wanted_) queue.want(i);
  }

  /// Leaves in `wanted` the window's positions, and their order in `sigma`.
  void choose_before_pass(state& s) const {
    s.positions_.assign(s.wanted_.begin(), s.wanted_.end());
    const auto best = s.ranking_.best(s.size_, order, view_of(s, s.positions_.size()), random(s, stream_use::order));
    s.wanted_.clear();
    for (const std::size_t k : best) s.wanted_.push_back(s.positions_[k]);
    std::sort(s.wanted_.begin(), s.wanted_.end());
    s.sigma_.clear();
    for (const std::size_t k : best)
      s.sigma_.push_back(
          static_cast<std::size_t>(std::lower_bound(s.wanted_.begin(), s.wanted_.end(), s.positions_[k]) - s.wanted_.begin()));
  }

  void take_draft(state& s, std::size_t k, std::span<const float> logits, row_scratch&) const {
    const std::span<double> log_p = row(s, k);
    if (!log_softmax(logits, s.context_.facts->forbidden, log_p)) return;
    s.usable_[k] = 1;
    if constexpr (!rank_before_pass<Order>) {
      s.best_[k] = lacuna::argmax(log_p);
      s.best_log_p_[k] = log_p[static_cast<std::size_t>(s.best_[k])];
      const row_statistics stats = statistics_of<needs>(log_p);
      if constexpr (contains(needs, statistics::confidence)) s.confidence_[k] = stats.confidence;
      if constexpr (contains(needs, statistics::margin)) s.margin_[k] = stats.margin;
      if constexpr (contains(needs, statistics::entropy)) s.entropy_[k] = stats.entropy;
    }
  }

  /// Sorts out sigma and draws the window's tokens.
  void draw_window(state& s) const {
    const std::size_t usable = static_cast<std::size_t>(std::count(s.usable_.begin(), s.usable_.end(), std::uint8_t{1}));
    if (usable == 0)
      throw model_error("model: step " + std::to_string(s.step_) + ": none of the " + std::to_string(s.wanted_.size()) +
                        " masked positions drafted (the first is " + std::to_string(s.wanted_.front()) +
                        ") has a finite logit for a token that may be generated");
    if constexpr (rank_before_pass<Order>)
      std::erase_if(s.sigma_, [&](std::size_t scored) { return s.usable_[scored] == 0; });
    else
      choose_after_pass(s);
    for (const auto& t : s.window_) s.drafted_[t.position] = 0;
    s.window_.clear();
    s.waiting_.clear();
    for (std::size_t r = 0; r < s.sigma_.size() && s.window_.size() < s.size_; ++r) draw_draft(s, s.sigma_[r]);
    if (s.window_.empty())  // end tokens wherever one looks
      s.window_.assign(s.waiting_.begin(),
                       s.waiting_.begin() + static_cast<std::ptrdiff_t>(std::min(s.size_, s.waiting_.size())));
    for (const auto& t : s.window_) s.drafted_[t.position] = 1;
    s.known_ = s.canvas_.size() - s.masked_;
    s.decided_ = 0;
    s.ends_ = false;
  }

  /// Packs the usable candidates, and puts the best of them into `sigma`: as many as the window may take.
  void choose_after_pass(state& s) const {
    s.positions_.resize(s.wanted_.size());
    s.slots_.resize(s.wanted_.size());
    std::size_t n = 0;
    for (std::size_t k = 0; k < s.wanted_.size(); ++k) {
      if (s.usable_[k] == 0) continue;
      s.positions_[n] = s.wanted_[k];
      s.slots_[n] = k;
      s.best_[n] = s.best_[k];
      s.best_log_p_[n] = s.best_log_p_[k];
      if constexpr (contains(needs, statistics::confidence)) s.confidence_[n] = s.confidence_[k];
      if constexpr (contains(needs, statistics::margin)) s.margin_[n] = s.margin_[k];
      if constexpr (contains(needs, statistics::entropy)) s.entropy_[n] = s.entropy_[k];
      ++n;
    }
    const auto best = s.ranking_.best(Ending::defers ? n : s.size_, order, view_of(s, n), random(s, stream_use::order));
    s.sigma_.clear();
    for (const std::size_t k : best) s.sigma_.push_back(s.slots_[k]);
  }

  static step_view view_of(const state& s, std::size_t n) {
    step_view v;
    v.sequence = &s.canvas_;
    v.step = s.step_;
    v.masked_now = masked_in(s.canvas_, s.range_);
    v.masked_at_start = s.revealed_ + v.masked_now;
    v.vocabulary = s.context_.facts->vocabulary;
    v.positions = std::span{s.positions_}.first(n);
    if constexpr (!rank_before_pass<Order>) {
      v.slots = std::span{s.slots_}.first(n);
      v.drawn = std::span{s.best_}.first(n);
      v.drawn_log_probability = std::span{s.best_log_p_}.first(n);
      if constexpr (contains(needs, statistics::confidence)) v.confidences = std::span{s.confidence_}.first(n);
      if constexpr (contains(needs, statistics::margin)) v.margins = std::span{s.margin_}.first(n);
      if constexpr (contains(needs, statistics::entropy)) v.entropies = std::span{s.entropy_}.first(n);
      if constexpr (contains(needs, statistics::rows)) v.rows = s.rows_;
    }
    return v;
  }

  /// The drafted token of one scored row, which holds the probabilities from then on.
  void draw_draft(state& s, std::size_t scored) const {
    const std::span<double> p = row(s, scored);
    if (temperature != 1) draw::scale(p, temperature);
    double total = 0;
    for (double& v : p) total += v = std::exp(v);
    random_stream rng = random(s, stream_use::draw).at(s.wanted_[scored]);
    const auto value = static_cast<token>(pick(p, rng.uniform() * total));
    const bool waits = Ending::defers && value == s.context_.facts->end;
    (waits ? s.waiting_ : s.window_).push_back({s.wanted_[scored], scored, value, 0, false});
  }

  // ---- The verification

  void request_verification(state& s, scoring_queue& queue, std::size_t owner) const {
    const std::size_t length = s.canvas_.size();
    s.refused_ = s.unusable_ = never;
    const auto row = queue.add_verification(owner, s.context_.slot, length, s.known_ + s.decided_, s.known_ + s.window_.size());
    std::size_t d = 0;
    std::size_t rest = s.known_ + s.window_.size();
    for (std::size_t i = 0; i < length; ++i) {
      const bool masked = s.canvas_.is_masked(i);
      row.tokens[i] = masked ? s.context_.facts->mask : s.canvas_[i];
      if (!masked)
        row.order[d++] = i;
      else if (s.drafted_[i] == 0)
        row.order[rest++] = i;
    }
    for (const auto& t : s.window_) {
      row.order[d++] = t.position;
      row.tokens[t.position] = t.value;
    }
  }

  /// Accepts or redraws track t of the window. What lies behind a refused track is not looked at, in whatever order rows come.
  void take_target(state& s, std::size_t t, std::span<const float> logits, row_scratch& scratch) const {
    if (t > s.refused_) return;
    auto& track = s.window_[t];
    scratch.log_p.resize(logits.size());
    if (!log_softmax(logits, s.context_.facts->forbidden, scratch.log_p)) {
      s.unusable_ = std::min(s.unusable_, t);
      return;
    }
    std::vector<double>& q = scratch.working;
    q.assign(scratch.log_p.begin(), scratch.log_p.end());
    if (temperature != 1) draw::scale(q, temperature);
    for (double& v : q) v = std::exp(v);
    const std::span<const double> p = row(s, track.scored);
    const auto drafted = static_cast<std::size_t>(track.value);
    random_stream rng = random(s, stream_use::verify).at(track.position);
    const double u = rng.uniform();
    if (!(q[drafted] >= p[drafted]) && !(u * p[drafted] < q[drafted])) {
      double total = 0;
      for (std::size_t v = 0; v < q.size(); ++v) total += q[v] = std::max(0.0, q[v] - p[v]);
      if (total > 0) {  // else p and q are the same but for rounding: nothing is refused
        s.refused_ = t;
        s.redrawn_ = static_cast<token>(pick(q, rng.uniform() * total));
        s.redrawn_confidence_ = std::exp(scratch.log_p[static_cast<std::size_t>(s.redrawn_)]);
        return;
      }
    }
    track.confidence = std::exp(scratch.log_p[drafted]);
  }

  /// The tracks up to the first that was refused have their tokens.
  void decide(state& s) const {
    if (s.unusable_ < s.refused_)
      throw model_error("model: step " + std::to_string(s.step_) + ": the target of track " +
                        std::to_string(s.known_ + s.unusable_) + " (position " +
                        std::to_string(s.window_[s.unusable_].position) +
                        ") has no finite logit for a token that may be generated");
    const std::size_t before = s.decided_;
    s.decided_ = s.window_.size();
    if (s.refused_ != never) {
      auto& t = s.window_[s.refused_];
      t.value = s.redrawn_;
      t.confidence = s.redrawn_confidence_;
      t.redrawn = true;
      s.decided_ = s.refused_ + 1;
    }
    if constexpr (Ending::stops || Ending::defers)
      for (std::size_t t = before; t < s.decided_; ++t) {
        if (s.window_[t].value != s.context_.facts->end) continue;
        const bool waits = Ending::defers && s.window_[t].redrawn && t > 0;
        if (!Ending::stops && !waits) continue;
        s.decided_ = waits ? t : t + 1;
        s.ends_ = true;
        break;
      }
  }

  /// Commits what was decided; the step is done.
  step_info finish(state& s) const {
    s.just_committed_.clear();
    s.just_confidence_.clear();
    s.just_redrawn_.clear();
    for (std::size_t t = 0; t < s.decided_; ++t) {
      const auto& track = s.window_[t];
      s.canvas_.commit(track.position, track.value);
      s.commit_step_[track.position] = s.step_;
      s.commit_confidence_[track.position] = track.confidence;
      s.just_committed_.push_back(track.position);
      s.just_confidence_.push_back(track.confidence);
      if (track.redrawn) s.just_redrawn_.push_back(track.position);
    }
    s.masked_ -= s.decided_;
    s.revealed_ += s.decided_;
    if constexpr (Ending::stops) close_behind_end(s);
    ++s.step_;
    return {s.just_committed_, s.just_confidence_, {}, s.just_redrawn_};
  }

  /// As in parallel: closes what lies behind the first end token committed so far.
  static void close_behind_end(state& s) {
    const token end = *s.context_.facts->end;
    s.end_at_ = first_end(s.canvas_, s.just_committed_, end, s.end_at_);
    if (s.end_at_ == never) return;
    s.masked_ -= close_behind(s.canvas_, s.end_at_, end, s.commit_step_, s.commit_confidence_);
    forget_behind(s.end_at_, s.just_committed_, s.just_confidence_);
    std::erase_if(s.just_redrawn_, [&](std::size_t i) { return i > s.end_at_; });
  }
};

speculative()->speculative<>;
template <class Order>
speculative(Order) -> speculative<Order>;
template <class Order, class Window>
speculative(Order, Window) -> speculative<Order, Window>;
template <class Order, class Window>
speculative(Order, Window, std::size_t) -> speculative<Order, Window>;
template <class Order, class Window>
speculative(Order, Window, std::size_t, double) -> speculative<Order, Window>;
template <class Order, class Window>
speculative(Order, Window, std::size_t, double, std::size_t) -> speculative<Order, Window>;
template <class Order, class Window, class Ending>
speculative(Order, Window, std::size_t, double, std::size_t, Ending) -> speculative<Order, Window, Ending>;

}  // namespace lacuna::sample
