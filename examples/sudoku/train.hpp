/// @file
/// @brief `sudoku train`: trains a network from scratch on generated puzzles, and measures it on puzzles that it never sees.
///
/// Writes the moving average of the weights, with the network's shape as metadata. With a checkpoint the run can be stopped
/// (Ctrl-C too) and started again with the same command. Puzzles, network and batches follow from the seed; a run by steps
/// gives the same weights each time, a run by minutes as many steps as the machine manages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>

#include "data_folder.hpp"
#include "network.hpp"
#include "training_set.hpp"

namespace CLI {
class App;
}

namespace sudoku {

struct train_options {
  std::optional<std::size_t> steps;
  std::optional<double> minutes;
  std::size_t batch = 32;
  double rate = 3e-3;
  double hold = 0;
  double average = 0.999;
  network_size size;
  std::size_t threads = 1;
  std::uint64_t seed = 1;
  std::size_t puzzles = 50000;
  mixture mix;
  bool elbo = false;
  std::string from;  ///< weights to start from
  std::string out = "model.safetensors";
  std::string dtype = "f32";  ///< or f16, bf16
  std::string checkpoint;
  std::string evaluation = data_folder() + "/expert-1000.csv";
  double evaluate_minutes = 5;
  std::size_t evaluate_count = 100;
  std::string curve;
};

/// Runs the command; progress goes to `log`. On Ctrl-C it saves what it has and ends. Throws lacuna::invalid_argument,
/// lacuna::file_error, lacuna::model_error.
void train(const train_options& options, std::ostream& log);

/// Adds the subcommand.
void add_train_command(CLI::App& app, std::ostream& log);

}  // namespace sudoku
