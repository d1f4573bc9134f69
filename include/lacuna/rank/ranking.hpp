/// @file
/// @brief rank::ranking: all candidates of a step in descending order of score. Scratch of the order policies that sort.
///
/// Ties go to the lowest index, so that an order is the same everywhere. Lives in a policy's `memory`: it allocates when it is
/// first used on a sequence. O(n) evaluations of the rank, O(n log m) comparisons for the best m.
/// ```cpp
/// using memory = lacuna::rank::ranking;
/// void select(const step_view& view, memory& scratch, selection& out, const step_random& rng) const {
///   for (const std::size_t k : scratch.best(3, by, view, rng)) out.add(k);
/// }
/// ```
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <span>
#include <vector>

#include "lacuna/concepts/rank_policy.hpp"
#include "lacuna/core/random.hpp"
#include "lacuna/core/step_view.hpp"

namespace lacuna::rank {

class ranking {
 public:
  /// The m best candidates (all, if there are fewer), best first.
  template <rank_policy R>
  std::span<const std::size_t> best(std::size_t m, const R& by, const step_view& view, const step_random& rng) {
    const std::size_t n = view.size();
    m = std::min(m, n);
    scores_.reserve(view.sequence->size());  // a later block may have more candidates than this one
    order_.reserve(view.sequence->size());
    scores_.resize(n);
    order_.resize(n);
    for (std::size_t k = 0; k < n; ++k) scores_[k] = score(by, view, k, rng);
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    const auto better = [this](std::size_t a, std::size_t b) {
      return scores_[a] != scores_[b] ? scores_[a] > scores_[b] : a < b;
    };
    const auto first = order_.begin();
    if (m == n)
      std::sort(first, order_.end(), better);
    else
      std::partial_sort(first, first + static_cast<std::ptrdiff_t>(m), order_.end(), better);
    return {order_.data(), m};
  }

  /// All candidates, best first.
  template <rank_policy R>
  std::span<const std::size_t> all(const R& by, const step_view& view, const step_random& rng) {
    return best(view.size(), by, view, rng);
  }

  /// Forgets nothing, since it remembers nothing between steps; keeps its memory.
  void reset() {}

 private:
  std::vector<double> scores_;
  std::vector<std::size_t> order_;
};

}  // namespace lacuna::rank
