/// @file
/// @brief The trained network as a model to decode with: a file of weights behind the few members a decoder needs.
///
/// The network itself is compiled in model.cpp alone, so that what only decodes compiles in seconds.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "grid.hpp"
#include "lacuna/concepts/ragged_model.hpp"
#include "lacuna/core/batch.hpp"

namespace sudoku {

class model {
 public:
  /// Throws lacuna::file_error if the file is missing, broken or not a network for grids.
  model(const std::string& weights, std::size_t threads);
  model(model&&) noexcept;
  ~model();

  [[nodiscard]] std::size_t vocabulary_size() const { return sudoku::vocabulary_size; }
  [[nodiscard]] lacuna::token mask_token() const { return blank; }
  [[nodiscard]] std::size_t max_length() const { return cell_count; }
  void operator()(const lacuna::token_batch& batch, std::span<const std::size_t> wanted, lacuna::row_sink sink);

  [[nodiscard]] std::size_t parameter_count() const;

 private:
  struct network;
  std::unique_ptr<network> network_;
};
static_assert(lacuna::selective_model<model>);

}  // namespace sudoku
