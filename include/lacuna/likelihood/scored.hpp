/// @file
/// @brief Which positions of a sequence are scored; the others are given.
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "lacuna/concepts/model_facts.hpp"
#include "lacuna/core/errors.hpp"
#include "lacuna/core/token.hpp"

namespace lacuna::likelihood {

/// Positions first … length − 1: all of them, or what follows a prompt.
inline std::vector<std::size_t> positions_from(std::size_t first, std::size_t length) {
  std::vector<std::size_t> positions(length - std::min(first, length));
  std::iota(positions.begin(), positions.end(), first);
  return positions;
}

/// Throws invalid_argument for a sequence that does not fit the model, and for positions that are none or not different.
inline void check_scored(std::span<const token> x, std::span<const std::size_t> positions, const model_facts& facts) {
  if (facts.max_length && x.size() > *facts.max_length)
    throw invalid_argument("likelihood: a sequence of " + std::to_string(x.size()) + " tokens, the model takes at most " +
                           std::to_string(*facts.max_length));
  for (std::size_t i = 0; i < x.size(); ++i)
    if (x[i] < 0 || static_cast<std::size_t>(x[i]) >= facts.vocabulary)
      throw invalid_argument("likelihood: token " + std::to_string(x[i]) + " at position " + std::to_string(i) +
                             ", expected 0 to " + std::to_string(facts.vocabulary - 1));
  if (positions.empty()) throw invalid_argument("likelihood: no position to score, expected at least 1");
  std::vector<bool> seen(x.size(), false);
  for (const std::size_t i : positions) {
    if (i >= x.size())
      throw invalid_argument("likelihood: position " + std::to_string(i) + " of a sequence of " + std::to_string(x.size()) +
                             " tokens, expected less");
    if (seen[i]) throw invalid_argument("likelihood: position " + std::to_string(i) + " is named twice, expected once");
    seen[i] = true;
  }
}

/// Whether all tokens at the positions may be generated; if not, x has probability 0 whatever a model says.
inline bool may_be_generated(std::span<const token> x, std::span<const std::size_t> positions, const model_facts& facts) {
  return std::none_of(positions.begin(), positions.end(),
                      [&](std::size_t i) { return std::binary_search(facts.forbidden.begin(), facts.forbidden.end(), x[i]); });
}

}  // namespace lacuna::likelihood
