/// @file
/// @brief Owns a batch of ordered rows, of which some tracks are revealed, while it is filled: what a hybrid transformer learns
/// from.
///
/// Its units are tokens, so that the loss is nats per token. Refill it after `clear`, and it allocates nothing.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "lacuna/core/errors.hpp"
#include "lacuna/core/token.hpp"
#include "lacuna/nn/hybrid_examples.hpp"

namespace lacuna::train {

/// Read with `view()`; a view is valid until the next `add` or `clear`.
class hybrid_batch {
 public:
  void clear() {
    tokens_.clear();
    orders_.clear();
    revealed_.clear();
    offsets_.assign(1, 0);
  }

  /// Appends one row. Errors: `invalid_argument` if the lengths differ or nothing is left to predict.
  void add(std::span<const token> tokens, std::span<const std::size_t> order, std::size_t revealed) {
    if (order.size() != tokens.size())
      throw invalid_argument{"hybrid row: an order of " + std::to_string(order.size()) + " positions, expected " +
                             std::to_string(tokens.size()) + " as tokens"};
    if (revealed >= tokens.size())
      throw invalid_argument{"hybrid row: " + std::to_string(revealed) + " tokens revealed, expected less than its length " +
                             std::to_string(tokens.size())};
    tokens_.insert(tokens_.end(), tokens.begin(), tokens.end());
    orders_.insert(orders_.end(), order.begin(), order.end());
    revealed_.push_back(revealed);
    offsets_.push_back(tokens_.size());
  }

  [[nodiscard]] nn::hybrid_examples view() const { return {tokens_, orders_, revealed_, offsets_}; }
  [[nodiscard]] std::size_t rows() const { return revealed_.size(); }
  /// What the sum of the losses is divided by.
  [[nodiscard]] double units() const { return static_cast<double>(tokens_.size()); }

 private:
  std::vector<token> tokens_;
  std::vector<std::size_t> orders_, revealed_;
  std::vector<std::size_t> offsets_ = std::vector<std::size_t>(1, 0);
};

}  // namespace lacuna::train
