/// @file
/// @brief What is decoded with: anything that scores blank cells of grids, a trained network first of all.
///
/// The network itself is compiled in model.cpp alone, so that what only decodes compiles in seconds.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <utility>

#include "grid.hpp"
#include "lacuna/concepts/selective_model.hpp"
#include "lacuna/core/batch.hpp"
#include "lacuna/core/token.hpp"

namespace sudoku {

class model {
 public:
  /// Hands the logits [V] of the wanted cells to the sink, as a lacuna::selective_model does.
  using scoring = std::function<void(const lacuna::token_batch&, std::span<const std::size_t> wanted, lacuna::row_sink)>;

  explicit model(scoring score, std::size_t parameters = 0) : score_{std::move(score)}, parameters_{parameters} {}

  [[nodiscard]] std::size_t vocabulary_size() const { return sudoku::vocabulary_size; }
  [[nodiscard]] lacuna::token mask_token() const { return blank; }
  [[nodiscard]] std::size_t max_length() const { return cell_count; }
  void operator()(const lacuna::token_batch& batch, std::span<const std::size_t> wanted, lacuna::row_sink sink) {
    score_(batch, wanted, sink);
  }

  [[nodiscard]] std::size_t parameter_count() const { return parameters_; }

 private:
  scoring score_;
  std::size_t parameters_;
};
static_assert(lacuna::selective_model<model>);

/// The network in a file of weights. Throws lacuna::file_error if the file is missing, broken or not a network for grids.
model load_model(const std::string& weights, std::size_t threads);

}  // namespace sudoku
