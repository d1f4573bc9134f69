/// @file
/// @brief Any distribution over short sequences, as a table of all their probabilities: the reference for everything else.
///
/// Choose it for tests that need the truth in numbers (probabilities, entropies, mutual information), and `of` to get the
/// truth about any other problem. O(states^N) memory, O(states^N · N) a row scored: N ≤ 6 or so, few states.
///
/// ```cpp
/// const auto sampler = lacuna::compose(lacuna::order::random{}, lacuna::draw::categorical{});  // one at a time: exact
/// const auto table = lacuna::problems::joint_table::random(4, 3, 7);  // 4 positions, 3 states, seed 7
/// const lacuna::token _ = table.mask_token();
/// const std::vector<lacuna::token> context{_, 2, _, _};
/// table.probability(std::vector<lacuna::token>{0, 2, 1, 1});  // of a whole sequence, or of what is known of it
/// table.entropy(context);                                     // nats, of the three masked positions together
/// table.mutual_information(context)(0, 3);                    // I(X_0; X_3 | X_1 = 2), nats
/// auto answer = lacuna::decode(table, lacuna::canvas::blank(4), sampler);
/// ```
/// Throws invalid_argument for weights that are not a distribution, and for rows that do not fit.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "lacuna/core/random.hpp"
#include "lacuna/problems/conditionals.hpp"

namespace lacuna::problems {

/// P(x_0, …, x_{N-1}) for every assignment; assignments are numbered with x_0 as the most significant digit.
class joint_table {
 public:
  /// From states^length weights, not all zero; they need not sum to one.
  joint_table(std::size_t length, std::size_t states, std::vector<double> weights)
      : length_{length}, states_{states}, probabilities_{std::move(weights)} {
    const std::size_t size = size_of(length, states);
    if (probabilities_.size() != size)
      throw invalid_argument("joint_table: " + std::to_string(probabilities_.size()) + " weights, expected " +
                             std::to_string(states) + "^" + std::to_string(length) + " = " + std::to_string(size));
    double sum = 0;
    for (const double w : probabilities_) {
      if (!(w >= 0)) throw invalid_argument("joint_table: a weight of " + std::to_string(w) + ", expected 0 or more");
      sum += w;
    }
    if (!(sum > 0) || !std::isfinite(sum))
      throw invalid_argument("joint_table: the weights sum to " + std::to_string(sum) + ", expected a positive finite number");
    for (double& w : probabilities_) w /= sum;
    assignments_.resize(size * length);
    for (std::size_t k = 0; k < size; ++k)
      for (std::size_t i = length, rest = k; i-- > 0; rest /= states)
        assignments_[k * length + i] = static_cast<token>(rest % states);
  }

  /// Random weights exp(sharpness · Gumbel): 0 is uniform, 1 moderately correlated, 3 dominated by few sequences.
  static joint_table random(std::size_t length, std::size_t states, std::uint64_t seed, double sharpness = 1) {
    std::vector<double> weights(size_of(length, states));
    random_stream rng(seed, stream_use::other);
    for (double& w : weights) w = std::exp(sharpness * rng.gumbel());
    return joint_table(length, states, std::move(weights));
  }

  /// Independent positions: `marginals[i]` has a weight for each state. Decoding all positions at once is exact here.
  static joint_table independent(const std::vector<std::vector<double>>& marginals) {
    if (marginals.empty()) throw invalid_argument("joint_table: no marginals, expected one a position");
    size_of(marginals.size(), marginals[0].size());  // refuses what is too large before it is built
    std::vector<double> weights{1};
    for (const std::vector<double>& marginal : marginals) {
      if (marginal.size() != marginals[0].size())
        throw invalid_argument("joint_table: marginals of " + std::to_string(marginals[0].size()) + " and " +
                               std::to_string(marginal.size()) + " states, expected equal numbers");
      std::vector<double> longer;
      longer.reserve(weights.size() * marginal.size());
      for (const double w : weights)
        for (const double m : marginal) longer.push_back(w * m);
      weights = std::move(longer);
    }
    return joint_table(marginals.size(), marginals[0].size(), std::move(weights));
  }

  /// The table of another problem's sequences of the given length.
  template <exact_problem P>
  static joint_table of(const P& problem, std::size_t length) {
    joint_table table(length, problem.states(), std::vector<double>(size_of(length, problem.states()), 1.0));
    std::vector<double> weights(table.size());
    for (std::size_t k = 0; k < table.size(); ++k) weights[k] = std::exp(problem.log_probability(table.assignment(k)));
    return joint_table(length, problem.states(), std::move(weights));
  }

  // ---- the model
  [[nodiscard]] std::size_t vocabulary_size() const { return states_ + 1; }
  [[nodiscard]] token mask_token() const { return static_cast<token>(states_); }
  [[nodiscard]] std::size_t max_length() const { return length_; }
  tensor<float, 3> operator()(const token_batch& x) const { return logits(*this, x); }

  // ---- the problem
  [[nodiscard]] std::size_t states() const { return states_; }
  void weights(std::span<const token> row, std::span<double> out) const {
    std::fill(out.begin(), out.end(), 0.0);
    for (std::size_t k = 0; k < size(); ++k)
      if (probabilities_[k] > 0) add_assignment(row, mask_token(), assignment(k), probabilities_[k], states_, out);
  }
  [[nodiscard]] double log_probability(std::span<const token> row) const { return std::log(probability(row)); }

  // ---- the truth
  /// N.
  [[nodiscard]] std::size_t length() const { return length_; }
  /// states^N.
  [[nodiscard]] std::size_t size() const { return probabilities_.size(); }
  /// Probabilities of the assignments, in their order.
  [[nodiscard]] std::span<const double> probabilities() const { return probabilities_; }
  /// The k-th assignment [N].
  [[nodiscard]] std::span<const token> assignment(std::size_t k) const {
    return std::span<const token>(assignments_).subspan(k * length_, length_);
  }
  /// The number of a whole assignment: assignment(index_of(x)) == x.
  [[nodiscard]] std::size_t index_of(std::span<const token> x) const {
    if (x.size() != length_)
      throw invalid_argument("joint_table: an assignment of " + std::to_string(x.size()) + " tokens, expected " +
                             std::to_string(length_));
    check_row(*this, x);
    std::size_t k = 0;
    for (const token t : x) {
      if (t == mask_token()) throw invalid_argument("joint_table: a masked position, expected a whole assignment");
      k = k * states_ + static_cast<std::size_t>(t);
    }
    return k;
  }
  /// P(known tokens of the row): of the sequence if none is masked, 1 if all are.
  [[nodiscard]] double probability(std::span<const token> row) const {
    check_row(*this, row);
    double p = 0;
    for (std::size_t k = 0; k < size(); ++k)
      if (agrees(row, mask_token(), assignment(k))) p += probabilities_[k];
    return p;
  }
  /// P(x_i = v | known tokens other than x_i), [states].
  [[nodiscard]] std::vector<double> conditional(std::span<const token> row, std::size_t i) const {
    if (i >= row.size())
      throw invalid_argument("joint_table: position " + std::to_string(i) + " of a row of " + std::to_string(row.size()));
    const tensor<double, 2> all = conditionals(*this, row);
    return {all.data() + i * states_, all.data() + (i + 1) * states_};
  }
  /// Entropy in nats of all masked positions together, given the known tokens; 0 for a context of probability 0.
  [[nodiscard]] double entropy(std::span<const token> row) const {
    const double total = probability(row);
    double h = 0;
    for (std::size_t k = 0; k < size(); ++k)
      if (probabilities_[k] > 0 && agrees(row, mask_token(), assignment(k))) {
        const double p = probabilities_[k] / total;
        h -= p * std::log(p);
      }
    return h;
  }
  /// Mutual information I(X_i; X_j | known tokens) in nats, [N, N], symmetric; 0 on the diagonal, at known positions, and for
  /// a context of probability 0.
  [[nodiscard]] tensor<double, 2> mutual_information(std::span<const token> row) const {
    const double total = probability(row);
    tensor<double, 2> information({row.size(), row.size()});
    std::fill(information.begin(), information.end(), 0.0);
    if (!(total > 0)) return information;
    std::vector<double> pair(states_ * states_);
    for (std::size_t i = 0; i < row.size(); ++i)
      for (std::size_t j = i + 1; j < row.size(); ++j) {
        if (row[i] != mask_token() || row[j] != mask_token()) continue;
        std::fill(pair.begin(), pair.end(), 0.0);
        for (std::size_t k = 0; k < size(); ++k)
          if (agrees(row, mask_token(), assignment(k))) {
            const std::span<const token> x = assignment(k);
            pair[static_cast<std::size_t>(x[i]) * states_ + static_cast<std::size_t>(x[j])] += probabilities_[k] / total;
          }
        information(i, j) = information(j, i) = information_of(pair);
      }
    return information;
  }

 private:
  static constexpr std::size_t largest_size = std::size_t{1} << 24U;

  /// states^length; throws for a table that is empty or too large.
  static std::size_t size_of(std::size_t length, std::size_t states) {
    if (length == 0 || states == 0)
      throw invalid_argument("joint_table: length " + std::to_string(length) + ", states " + std::to_string(states) +
                             ", expected at least 1 each");
    std::size_t size = 1;
    for (std::size_t i = 0; i < length; ++i) {
      if (size > largest_size / states)
        throw invalid_argument("joint_table: " + std::to_string(states) + "^" + std::to_string(length) +
                               " assignments, expected at most " + std::to_string(largest_size));
      size *= states;
    }
    return size;
  }
  /// Σ p(a, b) log(p(a, b) / p(a) p(b)).
  [[nodiscard]] double information_of(const std::vector<double>& pair) const {
    std::vector<double> first(states_);
    std::vector<double> second(states_);
    for (std::size_t a = 0; a < states_; ++a)
      for (std::size_t b = 0; b < states_; ++b) {
        first[a] += pair[a * states_ + b];
        second[b] += pair[a * states_ + b];
      }
    double sum = 0;
    for (std::size_t a = 0; a < states_; ++a)
      for (std::size_t b = 0; b < states_; ++b)
        if (const double p = pair[a * states_ + b]; p > 0) sum += p * std::log(p / (first[a] * second[b]));
    return std::max(sum, 0.0);
  }

  std::size_t length_;
  std::size_t states_;
  std::vector<double> probabilities_;  // [states^N]
  std::vector<token> assignments_;     // [states^N, N]
};

}  // namespace lacuna::problems
