/// @file
/// @brief Owns a batch of training rows while it is filled; `view` is what a model is given.
///
/// A row brings its *units*: what it adds to the number that the batch's loss is divided by. For an ELBO that is the number of
/// positions that could be masked, so that the loss is nats per position; for a plain loss the number that are masked.
/// Refill it after `clear`, and it allocates nothing.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "lacuna/core/errors.hpp"
#include "lacuna/core/token.hpp"
#include "lacuna/nn/example_batch.hpp"

namespace lacuna::train {

/// Packed rows that are owned. Read with `view()`; a view is valid until the next `add` or `clear`.
class batch_builder {
 public:
  void clear() {
    inputs_.clear();
    targets_.clear();
    weights_.clear();
    offsets_.assign(1, 0);
    units_ = 0;
  }

  /// Appends one row. Errors: `invalid_argument` if the lengths differ.
  void add(std::span<const token> inputs, std::span<const token> targets, std::span<const float> weights, double units) {
    if (targets.size() != inputs.size() || weights.size() != inputs.size()) {
      throw invalid_argument{"training row: " + std::to_string(targets.size()) + " targets and " +
                             std::to_string(weights.size()) + " weights, expected " + std::to_string(inputs.size()) +
                             " as inputs"};
    }
    inputs_.insert(inputs_.end(), inputs.begin(), inputs.end());
    targets_.insert(targets_.end(), targets.begin(), targets.end());
    weights_.insert(weights_.end(), weights.begin(), weights.end());
    offsets_.push_back(inputs_.size());
    units_ += units;
  }

  /// Appends all rows of a batch that was made elsewhere. Weights that are already divided have units 1.
  void add(const nn::example_batch& rows, double units) {
    for (std::size_t b = 0; b + 1 < rows.offsets.size(); ++b) {
      const std::size_t begin = rows.offsets[b];
      const std::size_t length = rows.offsets[b + 1] - begin;
      add(rows.inputs.subspan(begin, length), rows.targets.subspan(begin, length), rows.weights.subspan(begin, length), 0);
    }
    units_ += units;
  }

  [[nodiscard]] nn::example_batch view() const { return {inputs_, targets_, weights_, offsets_}; }
  [[nodiscard]] std::size_t rows() const { return offsets_.size() - 1; }
  /// What the sum of the losses is divided by.
  [[nodiscard]] double units() const { return units_; }

 private:
  std::vector<token> inputs_, targets_;
  std::vector<float> weights_;
  std::vector<std::size_t> offsets_ = std::vector<std::size_t>(1, 0);
  double units_ = 0;
};

}  // namespace lacuna::train
