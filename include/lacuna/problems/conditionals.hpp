/// @file
/// @brief What the problems share: from exact weights to the logits a masked_model returns.
///
/// A problem is a probability distribution over sequences that is known exactly, written as a model: the mask is one token
/// more than the distribution has states, and the row of position i holds log P(x_i | the other known tokens), computed in
/// double, returned as float; impossible tokens and the mask are −infinity. The row of a known position leaves out the
/// position's own token: what the rest of the sequence says about it, which is what remasking wants to know. A known context
/// that has probability 0 says nothing about what follows: its rows are uniform over the states. A row shorter than the
/// problem is a row whose remaining positions are masked.
///
/// To add a problem, write `states`, `weights` and `log_probability` as in one of the neighbours; the rest is the same.
#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "lacuna/concepts/masked_model.hpp"
#include "lacuna/concepts/model_facts.hpp"
#include "lacuna/core/batch.hpp"
#include "lacuna/core/errors.hpp"
#include "lacuna/core/tensor.hpp"
#include "lacuna/core/token.hpp"

namespace lacuna::problems {

/// A distribution over sequences of tokens 0 … states() - 1, known exactly.
/// - p.states(): number of tokens that can occur; the mask is the token after the last of them.
/// - p.weights(row [L], out [L, states()]): any positive multiple, one for each position, of P(x_i = v | known tokens other
///   than x_i); zero throughout for a context of probability 0.
/// - p.log_probability(row [L]): logarithm of the probability of the known tokens of the row, the masked ones summed out.
template <class P>
concept exact_problem = has_vocabulary<P> && has_mask_token<P> &&
    requires(const P& p, std::span<const token> row, std::span<double> out) {
  { p.states() } -> std::convertible_to<std::size_t>;
  p.weights(row, out);
  { p.log_probability(row) } -> std::convertible_to<double>;
};

/// Throws invalid_argument unless every token of the row is a state or the mask, and the row is not too long.
template <exact_problem P>
void check_row(const P& p, std::span<const token> row) {
  if constexpr (has_max_length<P>)
    if (row.size() > p.max_length())
      throw invalid_argument("problem: a row of " + std::to_string(row.size()) + " tokens, expected at most " +
                             std::to_string(p.max_length()));
  for (std::size_t i = 0; i < row.size(); ++i)
    if (row[i] < 0 || row[i] > p.mask_token())
      throw invalid_argument("problem: token " + std::to_string(row[i]) + " at position " + std::to_string(i) +
                             ", expected 0 to " + std::to_string(p.mask_token()));
}

/// P(x_i = v | known tokens other than x_i) for every position of one row [L], in double: `out` [L, states()].
template <exact_problem P>
void conditionals(const P& p, std::span<const token> row, std::span<double> out) {
  check_row(p, row);
  p.weights(row, out);
  const std::size_t states = p.states();
  for (std::size_t i = 0; i < row.size(); ++i) {
    const std::span<double> w = out.subspan(i * states, states);
    double sum = 0;
    for (const double v : w) sum += v;
    for (double& v : w) v = sum > 0 ? v / sum : 1.0 / static_cast<double>(states);
  }
}

/// The same as a new tensor [L, states()].
template <exact_problem P>
tensor<double, 2> conditionals(const P& p, std::span<const token> row) {
  tensor<double, 2> out({row.size(), p.states()});
  conditionals(p, row, std::span<double>(out.data(), out.size()));
  return out;
}

/// The call operator of a problem: logits [B, L, V] of a batch [B, L].
template <exact_problem P>
tensor<float, 3> logits(const P& p, const token_batch& x) {
  const std::size_t rows = x.shape(0);
  const std::size_t length = x.shape(1);
  const std::size_t states = p.states();
  const std::size_t vocabulary = p.vocabulary_size();
  tensor<float, 3> out({rows, length, vocabulary});
  std::fill(out.begin(), out.end(), -std::numeric_limits<float>::infinity());
  std::vector<double> row(length * states);
  for (std::size_t b = 0; b < rows; ++b) {
    conditionals(p, std::span<const token>(x.data() + b * length, length), std::span<double>(row));
    for (std::size_t i = 0; i < length; ++i)
      for (std::size_t v = 0; v < states; ++v)
        out.data()[(b * length + i) * vocabulary + v] = static_cast<float>(std::log(row[i * states + v]));
  }
  return out;
}

/// Adds one assignment of the whole sequence to the weights of all positions: what a problem that lists its assignments does
/// for each. An assignment that agrees with every known token counts everywhere; one that differs in a single place counts
/// for the row of that place, where the known token is left out.
inline void add_assignment(std::span<const token> row, token mask, std::span<const token> assignment, double weight,
                           std::size_t states, std::span<double> out) {
  const std::size_t length = row.size();
  std::size_t differences = 0;
  std::size_t where = 0;
  for (std::size_t i = 0; i < length && differences < 2; ++i)
    if (row[i] != mask && row[i] != assignment[i]) {
      ++differences;
      where = i;
    }
  if (differences > 1) return;
  const std::size_t first = differences == 0 ? 0 : where;
  const std::size_t last = differences == 0 ? length : where + 1;
  for (std::size_t i = first; i < last; ++i) out[i * states + static_cast<std::size_t>(assignment[i])] += weight;
}

/// Whether the assignment has every known token of the row.
inline bool agrees(std::span<const token> row, token mask, std::span<const token> assignment) {
  for (std::size_t i = 0; i < row.size(); ++i)
    if (row[i] != mask && row[i] != assignment[i]) return false;
  return true;
}

}  // namespace lacuna::problems
