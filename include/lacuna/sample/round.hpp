/// @file
/// @brief One round of scoring: what states have queued is scored, each state takes its rows.
///
/// ```cpp
/// queue.clear();
/// for (std::size_t a = 0; a < states.size(); ++a) sampler.request(states[a], queue, a);
/// score_round(sampler, score, queue, scratch, [&](std::size_t a) -> auto& { return states[a]; });
/// for (auto& s : states) sampler.advance(s);
/// ```
#pragma once

#include <cstddef>
#include <span>

#include "lacuna/core/cost.hpp"
#include "lacuna/sample/sampler.hpp"
#include "lacuna/sample/scorer.hpp"
#include "lacuna/sample/scoring_queue.hpp"

namespace lacuna {

/// Scores the queue and hands every row, with the hidden states where the sampler wants them, to `state_of(owner)`. Returns
/// what the network did; an empty queue costs nothing.
template <class M, sampler_for<M> Sampler, class StateOf>
nfe::count score_round(const Sampler& sampler, scorer<M>& score, const scoring_queue& queue, row_scratch& scratch,
                       StateOf&& state_of) {
  if (queue.empty()) return {};
  const auto take = [&](std::size_t r, std::size_t k, std::span<const float> logits) {
    sampler.take(state_of(queue.owner(r)), r, k, logits, scratch);
  };
  if constexpr (wants_hidden<Sampler>) {
    if (hidden_wanted_now(sampler))
      return score.score_with_hidden(queue, take, [&](std::size_t r, std::size_t k, std::span<const float> h) {
        sampler.take_hidden(state_of(queue.owner(r)), r, k, h);
      });
  }
  return score.score(queue, take);
}

}  // namespace lacuna
