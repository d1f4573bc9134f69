/// @file
/// @brief `sudoku generate`: draws whole grids from an empty board, and tells how many are valid and what they cost.
///
/// Here every cell is uncertain, and only what cells tell about each other says which can be drawn together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

#include "data_folder.hpp"
#include "decode.hpp"
#include "decode_puzzles.hpp"
#include "estimator_slot.hpp"
#include "model.hpp"
#include "samplers.hpp"

namespace sudoku {

struct generate_arguments {
  std::string weights = data_folder() + "/best.safetensors";
  std::string estimator;              ///< none: that beside the weights, if there is one
  std::vector<std::string> samplers;  ///< none: a choice of all kinds
  std::size_t boards = 500;
  std::size_t exact_boards = 32;  ///< of samplers of that choice that score many grids
  double temperature = 1;         ///< of samplers that say none
  std::uint64_t seed = 0;
  std::size_t batch = 64;
  std::size_t threads = 1;
  bool json = false;
};

/// Grids from empty boards.
struct generated_grids {
  decoded_puzzles decoded;
  std::vector<double> violated;  ///< by grid: units that do not hold each digit once
};
generated_grids generate_grids(model& m, const named_sampler& sampler, std::size_t boards,
                               const lacuna::decode_options& options = {0, 64});

/// Runs the command; `load` and `load_estimator` as of decode. Throws lacuna::invalid_argument, lacuna::file_error,
/// lacuna::model_error.
void generate(const generate_arguments& arguments, const streams& io,
              const std::function<model(const std::string&, std::size_t)>& load = load_model,
              const estimator_slot::loading& load_estimator = load_pair_estimator);

/// Adds the subcommand.
void add_generate_command(CLI::App& app, const streams& io);

}  // namespace sudoku
