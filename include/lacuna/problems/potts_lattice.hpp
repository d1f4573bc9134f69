/// @file
/// @brief A Potts model on a small grid: correlation in two dimensions, weak or strong by one number.
///
/// P(x) ∝ exp(coupling · number of neighbouring equal pairs + Σ field[x_i]), neighbours to the right and below, no wrapping.
/// Coupling 0 is independent, positive makes neighbours alike, negative unlike, −infinity forbids equal neighbours (proper
/// colourings). Choose it to see what parallel decoding loses as the coupling grows. The grid is read row by row; a row of
/// tokens scored costs O(rows · columns · states^(columns + 1)) (transfer matrix), so make the shorter side the columns.
///
/// ```cpp
/// const auto sampler = lacuna::compose(lacuna::order::random{}, lacuna::draw::categorical{});  // one at a time: exact
/// const lacuna::problems::potts_lattice grid{{.rows = 4, .columns = 3, .states = 2, .coupling = 0.8}};
/// auto answer = lacuna::decode(grid, lacuna::canvas::blank(12), sampler);
/// grid.log_probability(answer.tokens);
/// ```
/// Throws invalid_argument for an empty grid, states^columns > 4096, or a field of the wrong size.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "lacuna/problems/conditionals.hpp"

namespace lacuna::problems {

/// The parameters of a potts_lattice.
struct potts_options {
  std::size_t rows = 3;
  std::size_t columns = 3;
  std::size_t states = 2;
  double coupling = 0.5;
  std::vector<double> field{};  ///< [states], or empty for none
};

/// The Potts model; L = rows · columns.
class potts_lattice {
 public:
  explicit potts_lattice(potts_options options) : options_{std::move(options)} {
    const auto& o = options_;
    if (o.rows == 0 || o.columns == 0 || o.states == 0)
      throw invalid_argument("potts_lattice: " + std::to_string(o.rows) + " rows, " + std::to_string(o.columns) + " columns, " +
                             std::to_string(o.states) + " states, expected at least 1 each");
    if (!o.field.empty() && o.field.size() != o.states)
      throw invalid_argument("potts_lattice: a field of " + std::to_string(o.field.size()) +
                             " values, expected one for each of " + std::to_string(o.states) + " states");
    std::size_t lines = 1;
    for (std::size_t c = 0; c < o.columns; ++c)
      if ((lines *= o.states) > largest_line)
        throw invalid_argument("potts_lattice: " + std::to_string(o.states) + "^" + std::to_string(o.columns) +
                               " states of a line, expected at most " + std::to_string(largest_line));
    line_weight_.resize(lines);
    for (std::size_t s = 0; s < lines; ++s) {
      double energy = 0;
      for (std::size_t c = 0; c < o.columns; ++c) {
        if (!o.field.empty()) energy += o.field[digit(s, c)];
        if (c > 0 && digit(s, c) == digit(s, c - 1)) energy += o.coupling;
      }
      line_weight_[s] = std::exp(energy);
    }
    log_total_ = log_weight(std::vector<token>(max_length(), mask_token()));
    if (!std::isfinite(log_total_))
      throw invalid_argument("potts_lattice: the weights sum to exp(" + std::to_string(log_total_) +
                             "), expected a coupling and a field whose exponentials are finite");
  }

  // ---- the model
  [[nodiscard]] std::size_t vocabulary_size() const { return options_.states + 1; }
  [[nodiscard]] token mask_token() const { return static_cast<token>(options_.states); }
  [[nodiscard]] std::size_t max_length() const { return options_.rows * options_.columns; }
  tensor<float, 3> operator()(const token_batch& x) const { return logits(*this, x); }

  // ---- the problem
  [[nodiscard]] std::size_t states() const { return options_.states; }

  void weights(std::span<const token> row, std::span<double> out) const {
    std::fill(out.begin(), out.end(), 0.0);
    const std::vector<token> grid = whole(row);
    const std::size_t lines = line_weight_.size();
    // below[r][s]: weight of everything known below line r, given line r is s.
    std::vector<double> below(options_.rows * lines, 1.0);
    for (std::size_t r = options_.rows - 1; r > 0; --r) {
      const std::span<double> message = std::span<double>(below).subspan((r - 1) * lines, lines);
      for (std::size_t s = 0; s < lines; ++s) message[s] = fits(grid, r, s) ? line_weight_[s] * below[r * lines + s] : 0;
      transfer(message);
    }
    std::vector<double> above(lines, 1.0);
    std::vector<token> line(options_.columns);
    for (std::size_t r = 0; r * options_.columns < row.size(); ++r) {
      const std::size_t first = r * options_.columns;
      const std::size_t seen = std::min(options_.columns, row.size() - first);
      for (std::size_t s = 0; s < lines; ++s) {
        for (std::size_t c = 0; c < options_.columns; ++c) line[c] = static_cast<token>(digit(s, c));
        add_assignment(row.subspan(first, seen), mask_token(), line, above[s] * line_weight_[s] * below[r * lines + s],
                       options_.states, out.subspan(first * options_.states, seen * options_.states));
      }
      for (std::size_t s = 0; s < lines; ++s) above[s] = fits(grid, r, s) ? above[s] * line_weight_[s] : 0;
      transfer(above);
    }
  }

  [[nodiscard]] double log_probability(std::span<const token> row) const {
    check_row(*this, row);
    return log_weight(whole(row)) - log_total_;
  }

  /// The parameters.
  [[nodiscard]] const potts_options& options() const { return options_; }

 private:
  static constexpr std::size_t largest_line = 4096;

  /// State of column c in line state s, the last column varying fastest.
  [[nodiscard]] std::size_t digit(std::size_t s, std::size_t c) const {
    for (std::size_t k = c + 1; k < options_.columns; ++k) s /= options_.states;
    return s % options_.states;
  }

  /// The row with the missing positions masked.
  [[nodiscard]] std::vector<token> whole(std::span<const token> row) const {
    std::vector<token> grid(row.begin(), row.end());
    grid.resize(max_length(), mask_token());
    return grid;
  }

  /// Whether line state s agrees with the known tokens of line r.
  [[nodiscard]] bool fits(const std::vector<token>& grid, std::size_t r, std::size_t s) const {
    for (std::size_t c = 0; c < options_.columns; ++c) {
      const token known = grid[r * options_.columns + c];
      if (known != mask_token() && known != static_cast<token>(digit(s, c))) return false;
    }
    return true;
  }

  /// message[s'] = Σ_s message[s] · exp(coupling · equal columns of s and s'), one column at a time, then divided by its sum.
  /// Returns that sum.
  double transfer(std::span<double> message) const {
    const std::size_t n = options_.states;
    const double equal = std::exp(options_.coupling);
    std::vector<double> old(n);
    for (std::size_t stride = 1; stride < message.size(); stride *= n)
      for (std::size_t block = 0; block < message.size(); block += stride * n)
        for (std::size_t k = block; k < block + stride; ++k) {
          for (std::size_t v = 0; v < n; ++v) old[v] = message[k + v * stride];
          for (std::size_t v = 0; v < n; ++v) {
            double sum = equal * old[v];
            for (std::size_t u = 0; u < n; ++u)
              if (u != v) sum += old[u];
            message[k + v * stride] = sum;
          }
        }
    double sum = 0;
    for (const double v : message) sum += v;
    if (sum > 0)
      for (double& v : message) v /= sum;
    return sum;
  }

  /// Logarithm of the sum of the weights that agree with the grid.
  [[nodiscard]] double log_weight(const std::vector<token>& grid) const {
    std::vector<double> above(line_weight_.size(), 1.0);
    double log_w = 0;
    for (std::size_t r = 0; r < options_.rows; ++r) {
      for (std::size_t s = 0; s < above.size(); ++s) above[s] = fits(grid, r, s) ? above[s] * line_weight_[s] : 0;
      if (r + 1 < options_.rows) {
        log_w += std::log(transfer(above));
        continue;
      }
      double sum = 0;
      for (const double v : above) sum += v;
      log_w += std::log(sum);
    }
    return log_w;
  }

  potts_options options_;
  std::vector<double> line_weight_;  // [states^columns] exp of the energy within one line
  double log_total_ = 0;
};

}  // namespace lacuna::problems
