/// @file
/// @brief Latin squares: a small Sudoku with exact answers.
///
/// Uniform over the n × n squares, read row by row, in which every symbol occurs once in each row and column. Hard
/// constraints, known count (12 of order 3, 576 of order 4), and most tokens are implied once a few are known. A row scored
/// costs O(squares · n²).
///
/// ```cpp
/// const auto sampler = lacuna::compose(lacuna::order::random{}, lacuna::draw::categorical{});  // one at a time: exact
/// const lacuna::problems::latin_square squares{4};
/// auto answer = lacuna::decode(squares, lacuna::canvas::blank(16), sampler);
/// squares.is_valid(answer.tokens);
/// ```
/// Throws invalid_argument for an order other than 1 to 4.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "lacuna/problems/conditionals.hpp"

namespace lacuna::problems {

/// Uniform over the Latin squares of order n; L = n², states = n.
class latin_square {
 public:
  explicit latin_square(std::size_t order) : order_{order} {
    if (order == 0 || order > 4) throw invalid_argument("latin_square: order " + std::to_string(order) + ", expected 1 to 4");
    std::vector<token> square(order * order, mask_token());
    complete(square, 0);
  }

  // ---- the model
  [[nodiscard]] std::size_t vocabulary_size() const { return order_ + 1; }
  [[nodiscard]] token mask_token() const { return static_cast<token>(order_); }
  [[nodiscard]] std::size_t max_length() const { return order_ * order_; }
  tensor<float, 3> operator()(const token_batch& x) const { return logits(*this, x); }

  // ---- the problem
  [[nodiscard]] std::size_t states() const { return order_; }
  void weights(std::span<const token> row, std::span<double> out) const {
    std::fill(out.begin(), out.end(), 0.0);
    for (std::size_t k = 0; k < size(); ++k) add_assignment(row, mask_token(), square(k), 1, order_, out);
  }
  [[nodiscard]] double log_probability(std::span<const token> row) const {
    check_row(*this, row);
    std::size_t agreeing = 0;
    for (std::size_t k = 0; k < size(); ++k) agreeing += agrees(row, mask_token(), square(k)) ? 1U : 0U;
    return std::log(static_cast<double>(agreeing) / static_cast<double>(size()));
  }

  // ---- the squares
  /// n.
  [[nodiscard]] std::size_t order() const { return order_; }
  /// Number of squares.
  [[nodiscard]] std::size_t size() const { return squares_.size() / max_length(); }
  /// The k-th square [n²] in lexicographic order.
  [[nodiscard]] std::span<const token> square(std::size_t k) const {
    return std::span<const token>(squares_).subspan(k * max_length(), max_length());
  }
  /// Whether the n² tokens are a Latin square.
  [[nodiscard]] bool is_valid(std::span<const token> x) const {
    if (x.size() != max_length()) return false;
    for (std::size_t i = 0; i < x.size(); ++i)
      if (x[i] < 0 || x[i] >= mask_token() || !may_hold(x, i, x[i])) return false;
    return true;
  }

 private:
  /// Whether no other cell of the row and column of cell i holds t.
  [[nodiscard]] bool may_hold(std::span<const token> x, std::size_t i, token t) const {
    for (std::size_t k = 0; k < order_; ++k) {
      const std::size_t in_row = i / order_ * order_ + k;
      const std::size_t in_column = k * order_ + i % order_;
      if ((in_row != i && x[in_row] == t) || (in_column != i && x[in_column] == t)) return false;
    }
    return true;
  }

  /// Appends every completion of the cells before i.
  void complete(std::vector<token>& square, std::size_t i) {
    if (i == square.size()) {
      squares_.insert(squares_.end(), square.begin(), square.end());
      return;
    }
    for (token t = 0; t < mask_token(); ++t)
      if (may_hold(square, i, t)) {
        square[i] = t;
        complete(square, i + 1);
      }
    square[i] = mask_token();
  }

  std::size_t order_;
  std::vector<token> squares_;  // [squares, n²]
};

}  // namespace lacuna::problems
