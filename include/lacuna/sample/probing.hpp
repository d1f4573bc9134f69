/// @file
/// @brief The sampler for orders that probe: between the pass of a step and its choice the order may ask for more rows.
///
/// `compose` makes it of every probing_order_policy. A step takes the pass that parallel's takes (purpose::decode) and as many
/// rounds of probes (purpose::probe) as the order wants, none if it wants none; the probes of all rows of a batch, and the
/// passes of rows that are elsewhere in their step, go out together. Everything else is that of sample::parallel: draws,
/// blocks, infill, remasking and endings. A probe shows the model the canvas of the step with the gaps that the order filled;
/// rows come back normalised, with forbidden tokens removed. Memory: a round's tokens, rows L numbers.
#pragma once

#include <cassert>
#include <cstddef>
#include <span>
#include <utility>

#include "lacuna/concepts/model_facts.hpp"
#include "lacuna/concepts/probing_order_policy.hpp"
#include "lacuna/core/canvas.hpp"
#include "lacuna/core/errors.hpp"
#include "lacuna/core/probe_list.hpp"
#include "lacuna/core/row.hpp"
#include "lacuna/sample/sampler.hpp"
#include "lacuna/sample/scoring_queue.hpp"

namespace lacuna::sample {

/// `Parallel` is a sample::parallel whose order probes.
template <class Parallel>
struct probing {
  Parallel inner{};

  static constexpr bool wants_hidden = Parallel::wants_hidden;

  class state {
   public:
    [[nodiscard]] const canvas& sequence() const { return inner_.sequence(); }
    [[nodiscard]] std::span<const std::size_t> commit_steps() const { return inner_.commit_steps(); }
    [[nodiscard]] std::span<const double> commit_confidences() const { return inner_.commit_confidences(); }
    [[nodiscard]] std::size_t steps() const { return inner_.steps(); }
    [[nodiscard]] bool ended() const { return inner_.ended(); }

   private:
    friend probing;
    explicit state(typename Parallel::state s) : inner_{std::move(s)} {}
    typename Parallel::state inner_;
    std::size_t round_ = 0;      // rounds of probes asked for in this step; 0 while its pass is made
    probe_list probes_;          // of this round
    std::size_t first_row_ = 0;  // of the probes in the queue
  };

  void validate(const model_facts& facts) const { inner.validate(facts); }
  [[nodiscard]] state init(const row_context& context, canvas start) const {
    return state{inner.init(context, std::move(start))};
  }
  [[nodiscard]] bool done(const state& s) const { return inner.done(s.inner_); }

  void request(state& s, scoring_queue& queue, std::size_t owner) const {
    if (s.round_ == 0) return inner.request(s.inner_, queue, owner);
    s.first_row_ = queue.rows();
    const canvas& c = s.sequence();
    const token mask = inner.context(s.inner_).facts->mask;
    for (std::size_t r = 0; r < s.probes_.size(); ++r) {
      const auto tokens = queue.add(owner, purpose::probe, c.size());
      for (std::size_t i = 0; i < c.size(); ++i) tokens[i] = c.is_masked(i) ? mask : c[i];
      for (const filled_gap& f : s.probes_.filled(r)) {
        assert(c.is_masked(f.position) && "a probe fills masked positions");
        tokens[f.position] = f.value;
      }
      for (const std::size_t i : s.probes_.wanted(r)) queue.want(i);
    }
  }

  void take(state& s, std::size_t row, std::size_t k, std::span<const float> logits, row_scratch& scratch) const {
    if (s.round_ == 0) return inner.take(s.inner_, row, k, logits, scratch);
    scratch.log_p.resize(logits.size());
    const bool usable = log_softmax(logits, inner.context(s.inner_).facts->forbidden, scratch.log_p);
    inner.order.learn(inner.view(s.inner_), inner.memory(s.inner_), row - s.first_row_, k,
                      usable ? std::span<const double>{scratch.log_p} : std::span<const double>{});
  }
  void take_hidden(state& s, std::size_t row, std::size_t k, std::span<const float> h) const requires(wants_hidden) {
    if (s.round_ == 0) inner.take_hidden(s.inner_, row, k, h);
  }

  /// Asks the order; does the step if it has no question.
  step_info advance(state& s) const {
    const std::size_t round = s.round_;
    s.round_ = 0;  // if something is thrown the step begins anew
    s.probes_.clear();
    if (round == 0) inner.prepare(s.inner_);
    const step_view view = inner.view(s.inner_);
    if (view.size() > 0) inner.order.ask(view, inner.memory(s.inner_), round, s.probes_, inner.order_random(s.inner_));
    if (s.probes_.empty()) return inner.finish(s.inner_);
    s.round_ = round + 1;
    return {};
  }
};

}  // namespace lacuna::sample
