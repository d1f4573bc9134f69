/// @file
/// @brief `sudoku train-mi`: trains an estimator of mutual information on what probing a network says, and measures it on
/// contexts that it has not seen.
///
/// Labels are those of `sudoku label` in a folder, made here as far as they are missing, or made anew for each step. Everything
/// follows from the seeds; with a checkpoint the run can be stopped and started again with the same command.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>

#include "label.hpp"

namespace CLI {
class App;
}

namespace sudoku {

struct train_mi_arguments {
  label_arguments labels;
  bool fresh = false;               ///< no folder: each step has contexts of its own
  std::string head = "contextual";  ///< or hadamard
  std::size_t width = 64;
  std::size_t depth = 2;
  std::size_t rank = 32;
  std::size_t steps = 4000;
  std::size_t batch = 16;
  std::size_t images = 0;  ///< of each labelled context
  double rate = 2e-3;
  double decay = 0.1;
  double average = 0.998;
  double square = 50;
  double log_square = 0.02;
  std::uint64_t seed = 1;
  std::size_t validation_chunks = 2;
  std::string validation;  ///< folder; none: that of the labels with -validation
  std::string checkpoint;
  std::string out = "mi.safetensors";
  bool json = false;
};

/// Runs the command; progress goes to `log`, what is measured to `out`.
void train_mi(const train_mi_arguments& arguments, std::ostream& out, std::ostream& log);

/// Adds the subcommand.
void add_train_mi_command(CLI::App& app, std::ostream& out, std::ostream& log);

}  // namespace sudoku
