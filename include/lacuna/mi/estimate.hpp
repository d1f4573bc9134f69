/// @file
/// @brief mi::estimate: the pairwise mutual information of the masked positions of one canvas or many.
///
/// ```cpp
/// const auto found = lacuna::mi::estimate(model, canvas, lacuna::mi::pruned{1e-3});
/// found.cleaned()(0, 1);                                       // of the first two masked positions, nats
/// lacuna::mi::estimate(model, questions, estimator, {.rows_per_call = 512}, [](const lacuna::mi::progress& p) { … });
/// ```
/// Any model that can be decoded with, any estimator; one that reads hidden states needs a model that shows them and costs no
/// probes. For decoding guided by the numbers use order::mi_guided, which asks only for what can change its decision.
///
/// Cost: one row a canvas, and what the estimator probes; the rows of all canvases share calls of `rows_per_call` rows. What
/// is gathered is summed up as rows come, so that memory is O(n²) numbers a canvas, plus those of one call, plus what the
/// estimator keeps for a position being probed. Results do not depend on the split into calls. Forbidden tokens are removed
/// before every softmax. Errors: invalid_argument before the first pass; model_error if a masked position has no possible
/// token; estimator_error, naming the pair, for what is not finite.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "lacuna/concepts/mi_estimator.hpp"
#include "lacuna/concepts/model_facts.hpp"
#include "lacuna/concepts/pair_information.hpp"
#include "lacuna/concepts/validate.hpp"
#include "lacuna/core/canvas.hpp"
#include "lacuna/core/cost.hpp"
#include "lacuna/core/errors.hpp"
#include "lacuna/core/probe_list.hpp"
#include "lacuna/core/random.hpp"
#include "lacuna/core/row.hpp"
#include "lacuna/core/statistics.hpp"
#include "lacuna/core/step_view.hpp"
#include "lacuna/mi/information.hpp"
#include "lacuna/sample/check_canvas.hpp"
#include "lacuna/sample/round.hpp"
#include "lacuna/sample/scorer.hpp"
#include "lacuna/sample/scoring_queue.hpp"

namespace lacuna::mi {

/// A canvas whose masked positions are to be compared.
struct question {
  canvas context;
  std::optional<std::vector<std::size_t>> rows{};  ///< the masked positions to probe; all if not given
  std::uint64_t stream = 0;                        ///< names the random numbers, for estimators that draw
};

struct estimate_options {
  std::size_t rows_per_call = 256;
  std::uint64_t seed = 0;
};

/// How far an estimate of many canvases has come.
struct progress {
  std::size_t done = 0;   ///< canvases
  std::size_t total = 0;  ///< canvases
  nfe::count network{};   ///< calls and rows so far
};

/// Does nothing with it.
struct no_progress {
  void operator()(const progress&) const {}
};

/// All canvases, and what the network really did for them together.
struct estimates {
  std::vector<information> of;
  nfe::count network;
};

namespace detail {

/// One canvas under way: its rows, seen as a step of decoding, and what is known of the pairs.
template <mi_estimator E>
class inquiry {
 public:
  static constexpr bool reads = reading_mi_estimator<E>;
  static constexpr bool wants_hidden = contains(needs_of<E>, statistics::hidden);
  static constexpr bool keeps_rows = !reads || contains(needs_of<E>, statistics::rows);

  inquiry(const question& asked, std::size_t index, const model_facts& facts, std::uint64_t seed, std::size_t width)
      : index_{index}, asked_{&asked}, facts_{&facts}, width_{width}, random_{seed, stream_use::other, asked.stream, 0} {
    for (std::size_t i = 0; i < asked.context.size(); ++i)
      if (asked.context.is_masked(i)) positions_.push_back(i);
    const std::size_t n = positions_.size();
    numbers_.resize(n);
    std::iota(numbers_.begin(), numbers_.end(), std::size_t{0});
    for (auto* v : {&confidences_, &margins_, &entropies_, &drawn_log_p_}) v->resize(n);
    drawn_.resize(n);
    if (keeps_rows) rows_.resize(n * facts.vocabulary);
    if (wants_hidden) hidden_.resize(n * width);
  }

  [[nodiscard]] std::size_t index() const { return index_; }
  [[nodiscard]] bool done() const { return done_; }
  /// Rows it will yet want, at least.
  [[nodiscard]] std::size_t to_come() const { return begun_ ? pairs_.unasked() : positions_.size(); }

  /// Queues the canvas itself the first time, then probes, at most `room` >= 1 rows.
  void request(const E& e, scoring_queue& queue, std::size_t owner, std::size_t room) {
    first_row_ = queue.rows();
    if (!begun_) {
      write(queue.add(owner, purpose::decode, asked_->context.size()));
      for (const std::size_t i : positions_) queue.want(i);
    } else if constexpr (!reads) {
      probes_.clear(room);
      pairs_.ask(e, view(), probes_, random_);
      for (std::size_t r = 0; r < probes_.size(); ++r) {
        const auto tokens = queue.add(owner, purpose::probe, asked_->context.size());
        write(tokens);
        for (const filled_gap& f : probes_.filled(r)) tokens[f.position] = f.value;
        for (const std::size_t i : probes_.wanted(r)) queue.want(i);
      }
      done_ = probes_.empty();
    }
    cost_ += cost_of(queue, first_row_, queue.rows());
  }

  void take(const E& e, std::size_t row, std::size_t k, std::span<const float> logits, std::vector<double>& log_p) {
    log_p.resize(logits.size());
    const bool usable = log_softmax(logits, facts_->forbidden, log_p);
    if (begun_) {
      if constexpr (!reads)
        pairs_.learn(e, row - first_row_, k, usable ? std::span<const double>{log_p} : std::span<const double>{});
      return;
    }
    if (!usable)
      throw model_error("mi: canvas " + std::to_string(index_) + ": position " + std::to_string(positions_[k]) +
                        " has no finite logit for a token that may be generated");
    const auto s = statistics_of<statistics::confidence | statistics::margin | statistics::entropy>(log_p);
    confidences_[k] = s.confidence;
    margins_[k] = s.margin;
    entropies_[k] = s.entropy;
    drawn_[k] = argmax(log_p);
    drawn_log_p_[k] = log_p[static_cast<std::size_t>(drawn_[k])];
    if (keeps_rows) std::copy(log_p.begin(), log_p.end(), rows_.begin() + static_cast<std::ptrdiff_t>(k * log_p.size()));
  }
  void take_hidden(std::size_t k, std::span<const float> h) {
    if (!begun_) std::copy(h.begin(), h.end(), hidden_.begin() + static_cast<std::ptrdiff_t>(k * h.size()));
  }

  /// After the rows of the canvas itself have come: says what is wanted, or reads it.
  void begin(const E& e) {
    if (begun_) return;
    begun_ = true;
    pairs_.begin(view(), numbers_);
    if constexpr (reads) {
      memory_of<E> memory{};
      pairs_.read(e, view(), memory);
      done_ = true;
    } else {
      for (const std::size_t a : asked_rows())
        for (std::size_t b = 0; b < numbers_.size(); ++b)
          if (a != b) pairs_.want(a, b);
    }
  }

  [[nodiscard]] information result() const {
    const std::size_t n = positions_.size();
    information out{positions_, entropies_, tensor<double, 2>({n, n}), tensor<double, 2>({0, 0}), cost_};
    std::fill(out.raw.begin(), out.raw.end(), std::numeric_limits<double>::quiet_NaN());
    constexpr bool tells = !reads && tells_probe_error<E>;
    if constexpr (tells) out.error = out.raw;
    for (std::size_t a = 0; a < n; ++a) out.raw(a, a) = 0;
    for (const std::size_t a : asked_rows())
      for (std::size_t b = 0; b < n; ++b) {
        if (a != b) out.raw(a, b) = pairs_.raw(a, b);
        if constexpr (tells) out.error(a, b) = a == b ? 0 : pairs_.error(a, b);
      }
    return out;
  }

 private:
  /// Numbers of the masked positions that were asked for.
  [[nodiscard]] std::vector<std::size_t> asked_rows() const {
    if (!asked_->rows) return numbers_;
    std::vector<std::size_t> found;
    for (const std::size_t i : *asked_->rows)
      found.push_back(static_cast<std::size_t>(std::lower_bound(positions_.begin(), positions_.end(), i) - positions_.begin()));
    return found;
  }
  void write(std::span<token> tokens) const {
    for (std::size_t i = 0; i < tokens.size(); ++i)
      tokens[i] = asked_->context.is_masked(i) ? facts_->mask : asked_->context[i];
  }
  [[nodiscard]] step_view view() const {
    step_view v;
    v.sequence = &asked_->context;
    v.masked_at_start = v.masked_now = positions_.size();
    v.vocabulary = facts_->vocabulary;
    v.positions = positions_;
    v.slots = numbers_;
    v.drawn = drawn_;
    v.drawn_log_probability = drawn_log_p_;
    v.confidences = confidences_;
    v.margins = margins_;
    v.entropies = entropies_;
    v.rows = rows_;
    v.hidden_states = hidden_;
    v.width = wants_hidden ? width_ : 0;
    return v;
  }

  std::size_t index_;
  const question* asked_;
  const model_facts* facts_;
  std::size_t width_;
  step_random random_;
  bool begun_ = false;
  bool done_ = false;
  std::size_t first_row_ = 0;           // in the queue of this round
  std::vector<std::size_t> positions_;  // [n]
  std::vector<std::size_t> numbers_;    // [n] 0, 1, …
  std::vector<double> confidences_;
  std::vector<double> margins_;
  std::vector<double> entropies_;
  std::vector<token> drawn_;
  std::vector<double> drawn_log_p_;
  std::vector<double> rows_;   // [n, V]
  std::vector<float> hidden_;  // [n, D]
  pair_information<E> pairs_;
  probe_list probes_;
  nfe cost_;
};

inline void check(const question& asked, std::size_t index, const model_facts& facts) {
  const std::string what = "mi: canvas " + std::to_string(index);
  check_canvas(asked.context, facts, what);
  if (!asked.rows) return;
  for (const std::size_t i : *asked.rows)
    if (i >= asked.context.size() || !asked.context.is_masked(i))
      throw invalid_argument(what + ": row " + std::to_string(i) + " was asked for, expected a masked position");
}

}  // namespace detail

/// Many canvases.
template <decodable_model M, mi_estimator_for<M> E, std::invocable<const progress&> Progress = no_progress>
estimates estimate(M& model, std::span<const question> questions, const E& estimator, const estimate_options& options = {},
                   Progress&& tell = {}) {
  using inquiry = detail::inquiry<E>;
  const model_facts facts = facts_of(model);
  lacuna::validate(estimator);
  if (options.rows_per_call == 0) throw invalid_argument("mi: rows_per_call = 0, expected at least 1");
  for (std::size_t q = 0; q < questions.size(); ++q) detail::check(questions[q], q, facts);

  estimates out;
  out.of.resize(questions.size());
  scorer<M> score(model, facts, options.rows_per_call);
  scoring_queue queue;
  std::vector<double> log_p;
  std::vector<inquiry> open;
  std::size_t next = 0;
  progress now{0, questions.size(), {}};
  while (next < questions.size() || !open.empty()) {
    queue.clear();
    std::size_t to_come = 0;  // canvases are begun when those under way cannot fill a call: so few are held at a time
    for (std::size_t a = 0; a < open.size(); ++a) {
      if (queue.rows() < options.rows_per_call) open[a].request(estimator, queue, a, options.rows_per_call - queue.rows());
      to_come += open[a].to_come();
    }
    while (next < questions.size() && queue.rows() + to_come < options.rows_per_call) {
      open.emplace_back(questions[next], next, facts, options.seed, score.hidden_width());
      ++next;
      if (open.back().to_come() == 0) {  // nothing is masked
        open.back().begin(estimator);
        out.of[open.back().index()] = open.back().result();
        open.pop_back();
        ++now.done;
        continue;
      }
      to_come += open.back().to_come();
      open.back().request(estimator, queue, open.size() - 1, 1);
    }
    if (!queue.empty()) {
      const auto take = [&](std::size_t r, std::size_t k, std::span<const float> logits) {
        open[queue.owner(r)].take(estimator, r, k, logits, log_p);
      };
      nfe::count spent;
      if constexpr (inquiry::wants_hidden)
        spent = score.score_with_hidden(queue, take, [&](std::size_t r, std::size_t k, std::span<const float> h) {
          open[queue.owner(r)].take_hidden(k, h);
        });
      else
        spent = score.score(queue, take);
      out.network.calls += spent.calls;
      out.network.rows += spent.rows;
    }
    std::vector<inquiry> still;
    for (inquiry& i : open) {
      if (!i.done()) i.begin(estimator);
      if (i.done()) {
        out.of[i.index()] = i.result();
        ++now.done;
      } else {
        still.push_back(std::move(i));
      }
    }
    open = std::move(still);
    now.network = out.network;
    tell(now);
  }
  return out;
}

/// One canvas, all its masked positions.
template <decodable_model M, mi_estimator_for<M> E>
information estimate(M& model, const canvas& context, const E& estimator, const estimate_options& options = {}) {
  const question one{context, {}, 0};
  return std::move(estimate(model, std::span{&one, 1}, estimator, options).of.front());
}

}  // namespace lacuna::mi
