/// @file
/// @brief `sudoku table`: what samplers cost and solve on the shipped puzzles, and how much of it information does.
///
/// Beside each guided sampler stand the same budget without information (lambda = 0) and an entropy bound of as many passes,
/// on the same puzzles, with paired differences. Lines come out as they are done; with a file of results a run can be
/// interrupted and gone on with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "data_folder.hpp"
#include "decode.hpp"
#include "estimator_slot.hpp"
#include "model.hpp"

namespace sudoku {

struct table_arguments {
  std::string file = data_folder() + "/expert-1000.csv";
  std::string weights = data_folder() + "/best.safetensors";
  std::string estimator;          ///< none: that beside the weights, if there is one
  std::size_t count = 1000;       ///< puzzles
  std::size_t exact_count = 100;  ///< puzzles for samplers that score many grids
  std::size_t match_count = 100;  ///< puzzles on which a matching entropy bound is looked for
  std::vector<double> temperatures{0, 1};
  std::uint64_t seed = 0;
  std::size_t batch = 64;
  std::size_t threads = 1;
  bool json = false;
  std::string picture;
  std::string results;
};

/// Runs the command; `load` and `load_estimator` as of decode. Throws lacuna::invalid_argument, lacuna::file_error,
/// lacuna::model_error.
void table(const table_arguments& arguments, const streams& io,
           const std::function<model(const std::string&, std::size_t)>& load = load_model,
           const estimator_slot::loading& load_estimator = load_pair_estimator);

/// Adds the subcommand.
void add_table_command(CLI::App& app, const streams& io);

}  // namespace sudoku
