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
#include "lacuna/concepts/hidden_state_model.hpp"
#include "lacuna/concepts/selective_model.hpp"
#include "lacuna/core/batch.hpp"
#include "lacuna/core/errors.hpp"
#include "lacuna/core/token.hpp"

namespace sudoku {

class model {
 public:
  /// Hands the logits [V] of the wanted cells to the sink, as a lacuna::selective_model does.
  using scoring = std::function<void(const lacuna::token_batch&, std::span<const std::size_t> wanted, lacuna::row_sink)>;

  /// The same with the hidden states [D] of these cells, to the second sink.
  using scoring_with_hidden =
      std::function<void(const lacuna::token_batch&, std::span<const std::size_t> wanted, lacuna::row_sink, lacuna::row_sink)>;

  /// From a function alone: a model that shows no hidden states.
  explicit model(scoring score, std::size_t parameters = 0) : score_{std::move(score)}, parameters_{parameters} {}
  /// With hidden states of `hidden_size` numbers.
  model(scoring score, std::size_t parameters, std::size_t hidden_size, scoring_with_hidden score_with_hidden,
        std::string fingerprint = "")
      : score_{std::move(score)},
        score_with_hidden_{std::move(score_with_hidden)},
        parameters_{parameters},
        hidden_size_{hidden_size},
        fingerprint_{std::move(fingerprint)} {}

  [[nodiscard]] std::size_t vocabulary_size() const { return sudoku::vocabulary_size; }
  [[nodiscard]] lacuna::token mask_token() const { return blank; }
  [[nodiscard]] std::size_t max_length() const { return cell_count; }
  void operator()(const lacuna::token_batch& batch, std::span<const std::size_t> wanted, lacuna::row_sink sink) {
    score_(batch, wanted, sink);
  }

  /// D, or 0 for a model that shows no hidden states.
  [[nodiscard]] std::size_t hidden_size() const { return hidden_size_; }
  /// Throws lacuna::model_error if it shows none.
  void with_hidden(const lacuna::token_batch& batch, std::span<const std::size_t> wanted, lacuna::row_sink logits,
                   lacuna::row_sink hidden) {
    if (!score_with_hidden_) throw lacuna::model_error("model: shows no hidden states, expected a network that does");
    score_with_hidden_(batch, wanted, logits, hidden);
  }

  [[nodiscard]] std::size_t parameter_count() const { return parameters_; }
  /// Tells one network from another; empty for a model made of functions.
  [[nodiscard]] const std::string& fingerprint() const { return fingerprint_; }

 private:
  scoring score_;
  scoring_with_hidden score_with_hidden_;
  std::size_t parameters_;
  std::size_t hidden_size_ = 0;
  std::string fingerprint_;
};
static_assert(lacuna::selective_model<model> && lacuna::selects_hidden<model> && lacuna::hidden_state_model<model>);

/// The network in a file of weights. Throws lacuna::file_error if the file is missing, broken or not a network for grids.
model load_model(const std::string& weights, std::size_t threads);

}  // namespace sudoku
