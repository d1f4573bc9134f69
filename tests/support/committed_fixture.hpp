/// @file
/// @brief What a remasking policy sees, made by hand.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "lacuna/concepts/remask_policy.hpp"
#include "lacuna/core/selection.hpp"
#include "lacuna/core/step_view.hpp"

namespace lacuna::testing {

/// Owns the arrays of a committed_view, [m].
struct committed_fixture {
  std::vector<std::size_t> positions;
  std::vector<std::size_t> steps;
  std::vector<double> commit_log_probability;
  std::vector<double> log_probability;

  /// m committed positions from `first` on, all certain.
  explicit committed_fixture(std::size_t m, std::size_t first = 0)
      : positions(m), steps(m, 0), commit_log_probability(m, 0.0), log_probability(m, 0.0) {
    for (std::size_t j = 0; j < m; ++j) positions[j] = first + j;
  }
  [[nodiscard]] committed_view view() const { return {positions, steps, commit_log_probability, log_probability}; }
};

/// The indices policy R would mask again.
template <remask_policy R>
std::vector<std::size_t> masked_again(const R& r, const step_view& view, const committed_fixture& committed,
                                      std::uint64_t seed = 1) {
  selection out;
  out.reset(committed.positions.size());
  r.remask(view, committed.view(), out, step_random{seed, stream_use::remask, 0, view.step});
  return {out.chosen().begin(), out.chosen().end()};
}

/// How often each committed token is masked again in `runs` runs.
template <remask_policy R>
std::vector<std::size_t> remask_counts(const R& r, const step_view& view, const committed_fixture& committed,
                                       std::size_t runs) {
  std::vector<std::size_t> counts(committed.positions.size(), 0);
  for (std::size_t run = 0; run < runs; ++run)
    for (const std::size_t j : masked_again(r, view, committed, run)) ++counts[j];
  return counts;
}

}  // namespace lacuna::testing
