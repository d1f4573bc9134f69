/// @file
/// @brief What a learned order is trained on: sequences, the positions to be revealed, a budget of steps for each.
///
/// Refill it after `clear`. Its units are rows, so that the loss is nats per sequence.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "lacuna/core/errors.hpp"
#include "lacuna/core/random.hpp"
#include "lacuna/core/token.hpp"

namespace lacuna::train {

struct order_example {
  std::vector<token> tokens;        ///< [L], clean
  std::vector<std::size_t> masked;  ///< positions to be revealed, ascending; the others are given
  std::size_t budget = 1;           ///< T
  std::uint64_t stream = 0;         ///< names the random numbers of its paths
};

/// Read with `view()`; a view is valid until the next `add` or `clear`.
class order_batch {
 public:
  void clear() { examples_.clear(); }

  /// Appends a row; what its paths draw is told by `random`. Errors: invalid_argument if no position is masked, if one is none
  /// of the row or not in ascending order, for a budget of 0, and for a row of another length than the others.
  void add(std::span<const token> tokens, std::span<const std::size_t> masked, std::size_t budget, random_stream& random) {
    if (masked.empty()) throw invalid_argument{"order row: no masked position, expected at least 1"};
    for (std::size_t k = 0; k < masked.size(); ++k)
      if (masked[k] >= tokens.size() || (k > 0 && masked[k] <= masked[k - 1]))
        throw invalid_argument{"order row: masked position " + std::to_string(masked[k]) + " of a row of " +
                               std::to_string(tokens.size()) + " tokens, expected ascending ones of the row"};
    if (budget == 0) throw invalid_argument{"order row: a budget of 0 steps, expected at least 1"};
    if (!examples_.empty() && examples_.front().tokens.size() != tokens.size())
      throw invalid_argument{"order row: " + std::to_string(tokens.size()) + " tokens, expected " +
                             std::to_string(examples_.front().tokens.size()) + " as the others"};
    examples_.push_back({{tokens.begin(), tokens.end()}, {masked.begin(), masked.end()}, budget, random.bits()});
  }

  [[nodiscard]] std::span<const order_example> view() const { return examples_; }
  [[nodiscard]] std::size_t rows() const { return examples_.size(); }
  [[nodiscard]] double units() const { return static_cast<double>(examples_.size()); }

 private:
  std::vector<order_example> examples_;
};

}  // namespace lacuna::train
