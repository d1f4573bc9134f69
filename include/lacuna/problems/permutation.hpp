/// @file
/// @brief All tokens different: the shortest example of tokens that must not be drawn at once.
///
/// Uniform over the orders of `states` tokens, or over the first L of them. Every position alone is uniform over what is left,
/// so that no statistic of a single row tells an order policy anything: with L masks left, k at once collide with probability
/// 1 - Π (1 - j / L), j < k. A row scored costs O(L · states).
///
/// ```cpp
/// const auto sampler = lacuna::compose(lacuna::order::random{}, lacuna::draw::categorical{});  // one at a time: exact
/// const lacuna::problems::permutation all_different{8};
/// auto answer = lacuna::decode(all_different, lacuna::canvas::blank(8), sampler);
/// all_different.log_probability(answer.tokens);  // −infinity if a token occurs twice
/// ```
/// Throws invalid_argument for rows longer than there are tokens.
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "lacuna/problems/conditionals.hpp"

namespace lacuna::problems {

/// Uniform over sequences of L <= states different tokens.
class permutation {
 public:
  explicit permutation(std::size_t states) : states_{states} {
    if (states == 0) throw invalid_argument("permutation: 0 states, expected at least 1");
  }

  // ---- the model
  [[nodiscard]] std::size_t vocabulary_size() const { return states_ + 1; }
  [[nodiscard]] token mask_token() const { return static_cast<token>(states_); }
  [[nodiscard]] std::size_t max_length() const { return states_; }
  tensor<float, 3> operator()(const token_batch& x) const { return logits(*this, x); }

  // ---- the problem
  [[nodiscard]] std::size_t states() const { return states_; }

  void weights(std::span<const token> row, std::span<double> out) const {
    const std::vector<std::size_t> uses = count(row);
    std::size_t repeated = 0;  // occurrences that are one too many
    for (const std::size_t u : uses) repeated += u > 1 ? u - 1 : 0;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::size_t own = row[i] == mask_token() ? states_ : static_cast<std::size_t>(row[i]);
      const bool own_repeats = own < states_ && uses[own] > 1;
      const bool possible = repeated == (own_repeats ? 1U : 0U);  // without the own token
      for (std::size_t v = 0; v < states_; ++v) {
        const std::size_t others = uses[v] - (v == own ? 1 : 0);
        out[i * states_ + v] = possible && others == 0 ? 1.0 : 0.0;
      }
    }
  }

  [[nodiscard]] double log_probability(std::span<const token> row) const {
    check_row(*this, row);
    double log_p = 0;
    std::size_t left = states_;
    for (const std::size_t u : count(row)) {
      if (u > 1) return -std::numeric_limits<double>::infinity();
      if (u == 1) log_p -= std::log(static_cast<double>(left--));
    }
    return log_p;
  }

 private:
  /// How often each token is known, [states].
  [[nodiscard]] std::vector<std::size_t> count(std::span<const token> row) const {
    std::vector<std::size_t> uses(states_);
    for (const token t : row)
      if (t != mask_token()) ++uses[static_cast<std::size_t>(t)];
    return uses;
  }

  std::size_t states_;
};

}  // namespace lacuna::problems
