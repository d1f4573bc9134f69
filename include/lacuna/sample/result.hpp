/// @file
/// @brief What a run returns: tokens, when and how surely each was committed, what it cost, why it stopped.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "lacuna/core/canvas.hpp"
#include "lacuna/core/cost.hpp"
#include "lacuna/core/token.hpp"

namespace lacuna {

enum class stop_reason : std::uint8_t {
  complete,         ///< nothing is masked any more
  end_of_sequence,  ///< an end token closed the rest
  observer,         ///< an observer said stop
  budget,           ///< the row's max_steps are used up
  error             ///< the model scored no position that could be decoded
};

inline const char* to_string(stop_reason r) {
  switch (r) {
    case stop_reason::complete:
      return "complete";
    case stop_reason::end_of_sequence:
      return "end_of_sequence";
    case stop_reason::observer:
      return "observer";
    case stop_reason::budget:
      return "budget";
    case stop_reason::error:
      return "error";
  }
  return "unknown";
}

/// One decoded row.
struct decode_result {
  std::vector<token> tokens;       ///< [L]; positions left masked hold the model's mask token
  std::vector<std::size_t> step;   ///< [L] step of the commit, `never` for all that this run did not commit
  std::vector<double> confidence;  ///< [L] probability of the token when it was committed, 0 where step is `never`
  std::vector<cell> cells;         ///< [L] what each position is now
  std::size_t steps = 0;           ///< steps taken
  nfe cost;                        ///< passes this row took part in, and rows scored for it
  stop_reason reason = stop_reason::complete;
  std::string error;  ///< what went wrong, if reason is error
};

/// What a sampler's state has come to.
template <class State>
decode_result result_of(const State& state, token mask, const nfe& cost, stop_reason reason, std::string error = {}) {
  const canvas& c = state.sequence();
  decode_result out;
  out.tokens.assign(c.tokens().begin(), c.tokens().end());
  for (std::size_t i = 0; i < c.size(); ++i)
    if (c.is_masked(i)) out.tokens[i] = mask;
  out.cells.assign(c.cells().begin(), c.cells().end());
  const auto steps = state.commit_steps();
  out.step.assign(steps.begin(), steps.end());
  const auto confidences = state.commit_confidences();
  out.confidence.assign(confidences.begin(), confidences.end());
  out.steps = state.steps();
  out.cost = cost;
  out.reason = reason;
  out.error = std::move(error);
  return out;
}

/// A decoded batch: the rows, and what the network really did for all of them together.
struct batch_result {
  std::vector<decode_result> rows;
  nfe::count network;  ///< calls of the model and rows scored, padding-free
};

}  // namespace lacuna
