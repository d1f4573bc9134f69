/// @file
/// @brief A Markov chain of any length: local correlation, exact at any length in linear time.
///
/// Choose it for long sequences, for rows of different lengths, and to see what order and block size do: positions far apart
/// are nearly independent, neighbours are not. A row scored costs O(L · states²) (forward–backward).
///
/// ```cpp
/// const auto sampler = lacuna::compose(lacuna::order::random{}, lacuna::draw::categorical{});  // one at a time: exact
/// const auto chain = lacuna::problems::markov_chain::sticky(4, 0.9);  // 4 states, each stays with probability 0.9
/// auto answer = lacuna::decode(chain, lacuna::canvas::blank(100), sampler);
/// chain.log_probability(answer.tokens);
/// ```
/// Throws invalid_argument for rows of a transition matrix that do not sum to one.
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

/// P(x) = initial[x_0] · Π transition[x_{i-1}, x_i].
class markov_chain {
 public:
  /// `initial` [states], `transition` [states, states] with the present state as the row.
  markov_chain(std::vector<double> initial, std::vector<double> transition)
      : initial_{std::move(initial)}, transition_{std::move(transition)} {
    const std::size_t n = initial_.size();
    if (n == 0 || transition_.size() != n * n)
      throw invalid_argument("markov_chain: " + std::to_string(transition_.size()) + " transition probabilities for " +
                             std::to_string(n) + " states, expected " + std::to_string(n * n) + " and at least 1 state");
    check_distribution("initial", initial_);
    for (std::size_t a = 0; a < n; ++a)
      check_distribution("transition row " + std::to_string(a), std::span<const double>(transition_).subspan(a * n, n));
  }

  /// Starts anywhere, stays where it is with probability `stay`, else moves to one of the others.
  static markov_chain sticky(std::size_t states, double stay) {
    const auto n = static_cast<double>(states);
    std::vector<double> transition(states * states, states > 1 ? (1 - stay) / (n - 1) : 0.0);
    for (std::size_t a = 0; a < states; ++a) transition[a * states + a] = states > 1 ? stay : 1.0;
    return markov_chain(std::vector<double>(states, 1 / n), std::move(transition));
  }

  /// Random rows, uniform over all distributions.
  static markov_chain random(std::size_t states, std::uint64_t seed) {
    random_stream rng(seed, stream_use::other);
    std::vector<double> values((states + 1) * states);
    for (std::size_t a = 0; a <= states; ++a) {
      double sum = 0;
      for (std::size_t b = 0; b < states; ++b) sum += values[a * states + b] = -std::log(rng.uniform_positive());
      for (std::size_t b = 0; b < states; ++b) values[a * states + b] /= sum;
    }
    const auto first_row = static_cast<std::ptrdiff_t>(states);
    return markov_chain({values.begin(), values.begin() + first_row}, {values.begin() + first_row, values.end()});
  }

  // ---- the model
  [[nodiscard]] std::size_t vocabulary_size() const { return states() + 1; }
  [[nodiscard]] token mask_token() const { return static_cast<token>(states()); }
  tensor<float, 3> operator()(const token_batch& x) const { return logits(*this, x); }

  // ---- the problem
  [[nodiscard]] std::size_t states() const { return initial_.size(); }

  void weights(std::span<const token> row, std::span<double> out) const {
    const std::size_t n = states();
    const std::size_t length = row.size();
    if (length == 0) return;
    // Forward: out[i] = P(x_i, everything known before i), rescaled.
    std::copy(initial_.begin(), initial_.end(), out.begin());
    for (std::size_t i = 1; i < length; ++i) forward(out.subspan((i - 1) * n, n), row[i - 1], out.subspan(i * n, n));
    // Backward: times P(everything known after i | x_i), rescaled.
    std::vector<double> message(n, 1.0);
    std::vector<double> next(n);
    for (std::size_t i = length; i-- > 0;) {
      for (std::size_t a = 0; a < n; ++a) out[i * n + a] *= message[a];
      for (std::size_t a = 0; a < n; ++a) {
        next[a] = 0;
        for (std::size_t b = 0; b < n; ++b)
          if (fits(row[i], b)) next[a] += transition_[a * n + b] * message[b];
      }
      rescale(next);
      message.swap(next);
    }
  }

  [[nodiscard]] double log_probability(std::span<const token> row) const {
    check_row(*this, row);
    const std::size_t n = states();
    std::vector<double> now(initial_);
    std::vector<double> next(n);
    double log_p = 0;
    for (std::size_t i = 0; i < row.size(); ++i) {
      log_p += std::log(forward(now, row[i], next));
      now.swap(next);
    }
    return log_p;
  }

 private:
  static void check_distribution(const std::string& what, std::span<const double> p) {
    double sum = 0;
    for (const double v : p) {
      if (!(v >= 0))
        throw invalid_argument("markov_chain: " + what + " contains " + std::to_string(v) + ", expected 0 or more");
      sum += v;
    }
    if (!(std::abs(sum - 1) < 1e-9))
      throw invalid_argument("markov_chain: " + what + " sums to " + std::to_string(sum) + ", expected 1");
  }

  [[nodiscard]] bool fits(token known, std::size_t state) const {
    return known == mask_token() || known == static_cast<token>(state);
  }

  /// Divides by the sum, which is returned; an impossible message stays zero.
  static double rescale(std::span<double> message) {
    double sum = 0;
    for (const double v : message) sum += v;
    if (sum > 0)
      for (double& v : message) v /= sum;
    return sum;
  }

  /// One step of the chain from `now`, of which `known` is seen; returns the probability of seeing it.
  double forward(std::span<const double> now, token known, std::span<double> next) const {
    const std::size_t n = states();
    double seen = 0;
    std::fill(next.begin(), next.end(), 0.0);
    for (std::size_t a = 0; a < n; ++a) {
      if (!fits(known, a)) continue;
      seen += now[a];
      for (std::size_t b = 0; b < n; ++b) next[b] += now[a] * transition_[a * n + b];
    }
    rescale(next);
    return seen;
  }

  std::vector<double> initial_;     // [states]
  std::vector<double> transition_;  // [states, states]
};

}  // namespace lacuna::problems
