/// @file
/// @brief row_sampler, sampler_for: one row's run as a state machine, init / request / take / advance / done.
///
/// A sampler never calls the model. In each round `request` puts the rows it wants scored into a queue, `take` receives each
/// scored row, `advance` does one step with them, or a part of one if it must ask for more first. So one driver can share the
/// model's calls between any number of rows at whatever stage each is, and one sampler may ask for many rows a round (probes,
/// verifications). Samplers are const values; all that changes is in the state.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "lacuna/concepts/draft_verify_model.hpp"
#include "lacuna/concepts/drivable_model.hpp"
#include "lacuna/concepts/hidden_state_model.hpp"
#include "lacuna/concepts/model_facts.hpp"
#include "lacuna/concepts/ragged_model.hpp"
#include "lacuna/core/canvas.hpp"
#include "lacuna/core/cost.hpp"
#include "lacuna/sample/scoring_queue.hpp"

namespace lacuna {

/// What a row's run depends on beside its canvas.
struct row_context {
  const model_facts* facts = nullptr;  ///< must outlive the state
  std::uint64_t seed = 0;
  std::uint64_t stream = 0;  ///< names the row's random numbers
  std::size_t width = 0;     ///< D of the model's hidden states, 0 if it has none
  std::size_t slot = 0;      ///< under which the model keeps the row's drafts: a small number that no other row under way has
};

/// What a step did; spans end with the next call on the state.
struct step_info {
  std::span<const std::size_t> committed{};  ///< positions in the order of choice
  std::span<const double> confidence{};      ///< of their tokens, probabilities
  std::span<const std::size_t> remasked{};
  std::span<const std::size_t> redrawn{};  ///< those committed whose draft was refused, in the order of choice
};

/// Memory shared by all rows of a run, for one row of logits at a time.
struct row_scratch {
  std::vector<double> log_p;
  std::vector<double> working;
};

/// The step of a position that was not committed in this run.
inline constexpr std::size_t never = static_cast<std::size_t>(-1);

/// Samplers that also need hidden states: s.take_hidden(state, row, k, h [D]).
template <class S>
concept wants_hidden = requires {
  requires S::wants_hidden;
};

/// s.hidden_wanted() -> whether it wants them at all, where that is known at run time only.
template <class S>
concept says_whether_hidden = wants_hidden<S> && requires(const S& s) {
  { s.hidden_wanted() } -> std::same_as<bool>;
};

/// Whether the rows that the sampler queues are to come with hidden states.
template <class S>
bool hidden_wanted_now([[maybe_unused]] const S& sampler) {
  if constexpr (says_whether_hidden<S>)
    return sampler.hidden_wanted();
  else
    return wants_hidden<S>;
}

/// Samplers that have rows drafted and verified (scoring_queue::add_draft, add_verification), and no plain ones.
template <class S>
concept wants_verification = requires {
  requires S::wants_verification;
};

/// The interface of a sampler. `validate` throws invalid_argument before the first pass. `take` is called for every row that
/// `request` queued and every position it wanted there, with the row's index in the queue. The state shows its `sequence()`,
/// `commit_steps()`, `commit_confidences()`, the number of `steps()` done and whether it was `ended()` by an end token. An
/// `advance` that leaves `steps()` as it was has not finished the step: what it returns is not looked at, and another round
/// follows.
template <class S>
concept row_sampler = std::copy_constructible<S> && requires {
  typename S::state;
} && requires(const S& s, typename S::state& state, const typename S::state& seen, const row_context& context, canvas start,
              scoring_queue& queue, std::size_t n, std::span<const float> row, row_scratch& scratch) {
  s.validate(*context.facts);
  { s.init(context, start) } -> std::same_as<typename S::state>;
  s.request(state, queue, n);
  s.take(state, n, n, row, scratch);
  { s.advance(state) } -> std::same_as<step_info>;
  { s.done(seen) } -> std::same_as<bool>;
  { seen.sequence() } -> std::same_as<const canvas&>;
  { seen.commit_steps() } -> std::convertible_to<std::span<const std::size_t>>;
  { seen.commit_confidences() } -> std::convertible_to<std::span<const double>>;
  { seen.steps() } -> std::same_as<std::size_t>;
  { seen.ended() } -> std::same_as<bool>;
};

/// Samplers that have more scored than the next step needs: s.ready(state) says whether what was scored does for the next step.
/// A driver then calls `advance` again at once; if it asks in the next round instead, the sampler queues nothing.
template <class S>
concept scores_ahead = row_sampler<S> && requires(const S& s, typename S::state& state) {
  { s.ready(state) } -> std::same_as<bool>;
};

/// Whether the next step needs no round of its own.
template <row_sampler S>
bool ready_now([[maybe_unused]] const S& sampler, [[maybe_unused]] typename S::state& state) {
  if constexpr (scores_ahead<S>)
    return sampler.ready(state);
  else
    return false;
}

/// Samplers that want hidden states fit models that show them.
template <class S, class M>
concept hidden_states_at_hand = !wants_hidden<S> || hidden_state_model<M>;

/// Samplers that verify fit models that can.
template <class S, class M>
concept verification_at_hand = !wants_verification<S> || draft_verify_model<M>;

/// All others fit models that score whole canvases.
template <class S, class M>
concept plain_call_at_hand = wants_verification<S> || decodable_model<M>;

/// A sampler for rows of model M.
template <class S, class M>
concept sampler_for = drivable_model<M> && row_sampler<S> && verification_at_hand<S, M> && plain_call_at_hand<S, M> &&
    hidden_states_at_hand<S, M>;

}  // namespace lacuna
