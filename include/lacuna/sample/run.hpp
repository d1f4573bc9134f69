/// @file
/// @brief run: decoding one canvas a step at a time, for loops of one's own.
///
/// ```cpp
/// auto run = lacuna::start(model, sampler, lacuna::canvas::blank(64), seed);
/// while (!run.done()) {
///   const lacuna::step_info info = run.step();
///   …                                            // look at info.committed, run.sequence(), run.cost()
/// }
/// lacuna::decode_result result = run.result();
/// ```
/// Same tokens, order and cost as `decode` with that seed and stream. Choose `decode` for batches and observers: rows of one
/// `decode` share calls of the model, runs do not. Cost: a step is one call with what the sampler asks for, one row for the
/// parallel sampler; memory O(L) beside the sampler's, allocated in the first step. Errors: `start` throws invalid_argument;
/// `step` throws `error` when the run is done, and what the model or a policy throws (model_error, say): it leaves the run
/// where it was, with the pass paid for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "lacuna/concepts/drivable_model.hpp"
#include "lacuna/concepts/model_facts.hpp"
#include "lacuna/core/canvas.hpp"
#include "lacuna/core/cost.hpp"
#include "lacuna/core/errors.hpp"
#include "lacuna/sample/check_canvas.hpp"
#include "lacuna/sample/result.hpp"
#include "lacuna/sample/round.hpp"
#include "lacuna/sample/sampler.hpp"
#include "lacuna/sample/scorer.hpp"
#include "lacuna/sample/scoring_queue.hpp"

namespace lacuna {

/// A canvas on its way. Refers to the model, holds everything else; can be moved, not copied.
template <drivable_model Model, sampler_for<Model> Sampler>
class run {
 public:
  run(Model& model, Sampler sampler, canvas start, std::uint64_t seed = 0, std::uint64_t stream = 0)
      : facts_{std::make_unique<const model_facts>(facts_of(model))},
        sampler_{std::move(sampler)},
        score_{model, *facts_},
        state_{init(score_.hidden_width(), std::move(start), seed, stream)} {}

  /// Nothing is left to decode.
  [[nodiscard]] bool done() const { return sampler_.done(state_); }

  /// One step, of as many rounds of scoring as it takes; not when done. The spans end with the next step.
  step_info step() {
    if (done()) throw error("run: a step was asked for after " + std::to_string(steps()) + ", expected none: the run is done");
    const std::size_t before = state_.steps();
    for (;;) {
      queue_.clear();
      sampler_.request(state_, queue_, 0);
      try {
        score_round(sampler_, score_, queue_, scratch_, [this](std::size_t) -> typename Sampler::state& { return state_; });
      } catch (...) {
        cost_ += cost_of(queue_, 0, queue_.rows());
        throw;
      }
      cost_ += cost_of(queue_, 0, queue_.rows(), score_.rows_taken());
      const step_info info = sampler_.advance(state_);
      if (state_.steps() != before) return info;
    }
  }

  [[nodiscard]] const canvas& sequence() const { return state_.sequence(); }
  /// Steps done.
  [[nodiscard]] std::size_t steps() const { return state_.steps(); }
  [[nodiscard]] const nfe& cost() const { return cost_; }
  /// What there is so far; of a run that is not done, the reason is `budget`.
  [[nodiscard]] decode_result result() const {
    const stop_reason reason = !done()          ? stop_reason::budget
                               : state_.ended() ? stop_reason::end_of_sequence
                                                : stop_reason::complete;
    return result_of(state_, facts_->mask, cost_, reason);
  }

 private:
  typename Sampler::state init(std::size_t width, canvas start, std::uint64_t seed, std::uint64_t stream) const {
    sampler_.validate(*facts_);
    check_canvas(start, *facts_, "run");
    return sampler_.init(row_context{facts_.get(), seed, stream, width}, std::move(start));
  }

  std::unique_ptr<const model_facts> facts_;  // at an address that moving the run does not change
  Sampler sampler_;
  scorer<Model> score_;
  typename Sampler::state state_;
  scoring_queue queue_;
  row_scratch scratch_;
  nfe cost_;
};

/// Begins a run; nothing is scored yet.
template <drivable_model Model, sampler_for<Model> Sampler>
run<Model, Sampler> start(Model& model, const Sampler& sampler, canvas from, std::uint64_t seed = 0, std::uint64_t stream = 0) {
  return run<Model, Sampler>(model, sampler, std::move(from), seed, stream);
}

}  // namespace lacuna
