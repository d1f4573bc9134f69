/// @file
/// @brief likelihood::reveal_path: the steps in which the masked positions of one sequence are revealed, drawn without a model.
///
/// ```cpp
/// auto path = lacuna::likelihood::draw_path(lacuna::likelihood::renormalised{}, scores, masked, 5, random);
/// path.steps();      // at most 5
/// path.masked(t);    // positions masked before step t, ascending: what the model is shown as masks in that step
/// path.revealed(t);  // a flag for each of them
/// ```
/// The posterior looks at scores of the clean sequence alone, so that all paths of many sequences can be drawn first and every
/// state of all of them scored in one batched call. Step T, the last of the budget, reveals what is left; a path ends as soon
/// as nothing is. Errors: a budget of 0, no masked position, positions that have no score, a score that is not finite.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "lacuna/core/errors.hpp"
#include "lacuna/core/random.hpp"
#include "lacuna/likelihood/reveal_posterior.hpp"

namespace lacuna::likelihood {

class reveal_path {
 public:
  /// `budget`: steps at most.
  explicit reveal_path(std::size_t budget) : budget_{budget} {}

  [[nodiscard]] std::size_t budget() const { return budget_; }
  [[nodiscard]] std::size_t steps() const { return begin_.size() - 1; }
  /// Places of all steps together: the flat arrays of numbers along a path have as many.
  [[nodiscard]] std::size_t size() const { return positions_.size(); }
  /// Where step t begins in them.
  [[nodiscard]] std::size_t begin(std::size_t t) const { return begin_[t]; }
  [[nodiscard]] std::span<const std::size_t> masked(std::size_t t) const { return slice(std::span{positions_}, t); }
  [[nodiscard]] std::span<const std::uint8_t> revealed(std::size_t t) const { return slice(std::span{revealed_}, t); }
  /// Whether step t is the last of the budget, which must reveal everything.
  [[nodiscard]] bool forced(std::size_t t) const { return t + 1 == budget_; }
  /// The share of `values`, an array of size() numbers, that belongs to step t.
  template <class T>
  [[nodiscard]] std::span<T> slice(std::span<T> values, std::size_t t) const {
    return values.subspan(begin_[t], begin_[t + 1] - begin_[t]);
  }

  /// Appends a step: the positions masked before it, ascending, and which of them it reveals.
  void add(std::span<const std::size_t> masked, std::span<const std::uint8_t> revealed) {
    positions_.insert(positions_.end(), masked.begin(), masked.end());
    revealed_.insert(revealed_.end(), revealed.begin(), revealed.end());
    begin_.push_back(positions_.size());
  }

 private:
  std::size_t budget_;
  std::vector<std::size_t> positions_;
  std::vector<std::uint8_t> revealed_;
  std::vector<std::size_t> begin_{0};
};

/// The scores of some positions.
inline std::vector<double> scores_of(std::span<const double> scores, std::span<const std::size_t> positions) {
  std::vector<double> some;
  some.reserve(positions.size());
  for (const std::size_t i : positions) some.push_back(scores[i]);
  return some;
}

/// A path drawn from the posterior; `scores` [L], `masked` ascending.
template <reveal_posterior Q>
reveal_path draw_path(const Q& posterior, std::span<const double> scores, std::span<const std::size_t> masked,
                      std::size_t budget, random_stream& rng) {
  if (budget == 0) throw invalid_argument("likelihood::draw_path: a budget of 0 steps, expected at least 1");
  if (masked.empty()) throw invalid_argument("likelihood::draw_path: no masked position, expected at least 1");
  for (const std::size_t i : masked) {
    if (i >= scores.size())
      throw invalid_argument("likelihood::draw_path: position " + std::to_string(i) + ", but " + std::to_string(scores.size()) +
                             " scores");
    if (!std::isfinite(scores[i]))
      throw invalid_argument("likelihood::draw_path: the score of position " + std::to_string(i) + " is " +
                             std::to_string(scores[i]) + ", expected a finite number");
  }
  reveal_path path{budget};
  std::vector<std::size_t> left(masked.begin(), masked.end());
  std::vector<double> p;
  std::vector<std::uint8_t> revealed;
  while (!left.empty()) {
    revealed.assign(left.size(), 1);
    if (!path.forced(path.steps())) {
      p.resize(left.size());
      posterior.rates(scores_of(scores, left), p);
      draw_revealed<Q>(p, rng, revealed);
    }
    path.add(left, revealed);
    std::size_t kept = 0;
    for (std::size_t k = 0; k < left.size(); ++k)
      if (revealed[k] == 0) left[kept++] = left[k];
    left.resize(kept);
  }
  return path;
}

}  // namespace lacuna::likelihood
