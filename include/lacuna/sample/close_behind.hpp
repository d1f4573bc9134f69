/// @file
/// @brief What a sampler does when an end token stops a row: the positions behind it are closed.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "lacuna/core/canvas.hpp"
#include "lacuna/core/token.hpp"
#include "lacuna/sample/sampler.hpp"

namespace lacuna {

/// The first position of an end token: `end_at`, or one further left that was committed in this step.
inline std::size_t first_end(const canvas& c, std::span<const std::size_t> just_committed, token end, std::size_t end_at) {
  for (const std::size_t i : just_committed)
    if (c[i] == end && i < end_at) end_at = i;
  return end_at;
}

/// Closes all behind `end_at` that is not fixed, as if it had never been decoded. Returns how many of the positions were
/// masked.
inline std::size_t close_behind(canvas& c, std::size_t end_at, token end, std::span<std::size_t> commit_step,
                                std::span<double> commit_confidence) {
  std::size_t masked = 0;
  for (std::size_t i = end_at + 1; i < c.size(); ++i) {
    const cell now = c.cells()[i];
    if (now == cell::fixed || now == cell::closed) continue;
    if (now == cell::masked) ++masked;
    c.close(i, end);
    commit_step[i] = never;
    commit_confidence[i] = 0;
  }
  return masked;
}

/// What was closed in the step that chose it was not committed.
inline void forget_behind(std::size_t end_at, std::vector<std::size_t>& just_committed, std::vector<double>& just_confidence) {
  std::size_t kept = 0;
  for (std::size_t j = 0; j < just_committed.size(); ++j) {
    if (just_committed[j] > end_at) continue;
    just_committed[kept] = just_committed[j];
    just_confidence[kept++] = just_confidence[j];
  }
  just_committed.resize(kept);
  just_confidence.resize(kept);
}

}  // namespace lacuna
