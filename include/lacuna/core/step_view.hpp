/// @file
/// @brief What an order policy, a rank or a remasking policy sees of one row at one step.
#pragma once

#include <cassert>
#include <cstddef>
#include <limits>
#include <span>

#include "lacuna/core/canvas.hpp"
#include "lacuna/core/token.hpp"

namespace lacuna {

/// Place of a step on the time grid of an order that knows its number of steps.
struct time_step {
  double revealed_now = 0;    ///< alpha_t: share revealed before this step, of what was masked at the start
  double revealed_next = 1;   ///< alpha_s: share revealed after it
  std::size_t remaining = 0;  ///< steps after this one; nothing is remasked when it is 0
  double elapsed = 0;         ///< share of the steps done before this one; diffusion time t is 1 - elapsed
};

/// Read-only view of one step: n candidates in ascending order of position, with the model's opinion of each.
///
/// A candidate is a masked position that may be unmasked now: inside the block of a block policy, with a usable row, not
/// behind an end of sequence. Statistics that no policy of the composition needs are absent: asking for them is a broken
/// policy (assert). Everything is about the model's own distribution at temperature 1, forbidden tokens removed.
struct step_view {
  const canvas* sequence = nullptr;
  std::size_t step = 0;                             ///< steps done before this one (within the block, inside a block policy)
  std::size_t masked_at_start = 0;                  ///< masked when the run (or block) began, without those closed since
  std::size_t masked_now = 0;                       ///< masked positions now (of the block, inside one), candidates or not
  std::size_t vocabulary = 0;                       ///< V
  std::span<const std::size_t> positions{};         ///< [n] ascending
  std::span<const token> drawn{};                   ///< [n] the token that will be committed if the candidate is chosen
  std::span<const double> drawn_log_probability{};  ///< [n] its log-probability
  std::span<const double> confidences{};            ///< [n] or empty
  std::span<const double> margins{};                ///< [n] or empty
  std::span<const double> entropies{};              ///< [n] or empty
  std::span<const std::size_t> slots{};             ///< [n] row of candidate k in `rows` and `hidden_states`
  std::span<const double> rows{};                   ///< [*, V] log-probabilities or empty
  std::span<const float> hidden_states{};           ///< [*, D] or empty
  std::size_t width = 0;                            ///< D or 0
  time_step time{};        ///< place of this step on the order's time grid; only in compositions that remask
  double remask_rate = 0;  ///< probability with which a committed token is remasked in this step (ReMDM's sigma)

  /// n, the number of candidates; at least 1 when a policy is asked.
  [[nodiscard]] std::size_t size() const { return positions.size(); }
  [[nodiscard]] double confidence(std::size_t k) const { return confidences[check(k, confidences.size())]; }
  [[nodiscard]] double margin(std::size_t k) const { return margins[check(k, margins.size())]; }
  [[nodiscard]] double entropy(std::size_t k) const { return entropies[check(k, entropies.size())]; }
  /// Log-probabilities [V] of candidate k.
  [[nodiscard]] std::span<const double> row(std::size_t k) const {
    assert(!rows.empty() && "the policy did not declare statistics::rows in `needs`");
    return rows.subspan(slots[k] * vocabulary, vocabulary);
  }
  /// Last hidden state [D] of candidate k.
  [[nodiscard]] std::span<const float> hidden(std::size_t k) const {
    assert(!hidden_states.empty() && "the policy did not declare statistics::hidden in `needs`");
    return hidden_states.subspan(slots[k] * width, width);
  }

 private:
  static std::size_t check(std::size_t k, [[maybe_unused]] std::size_t n) {
    assert(k < n && "the policy did not declare this statistic in `needs`");
    return k;
  }
};

/// What a remasking policy sees beside the step view: m committed positions in ascending order.
struct committed_view {
  std::span<const std::size_t> positions{};          ///< [m]
  std::span<const std::size_t> steps{};              ///< [m] step of the commit
  std::span<const double> commit_log_probability{};  ///< [m] log-probability of the token when it was committed
  std::span<const double> log_probability{};         ///< [m] its log-probability now; only with statistics::committed

  [[nodiscard]] std::size_t size() const { return positions.size(); }
};

}  // namespace lacuna
