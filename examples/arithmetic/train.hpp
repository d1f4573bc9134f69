/// @file
/// @brief `arithmetic train`: the base model, a masked diffusion model that learns solutions given their questions.
///
/// Everything follows from the seed; with a checkpoint the run can be stopped and started again with the same command.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "../common/streams.hpp"

namespace CLI {
class App;
}

namespace arithmetic {

struct train_arguments {
  std::string problems;  ///< a file to learn from; none: they are made
  std::size_t count = 50000;
  std::size_t width = 128, depth = 4, heads = 4;
  std::optional<std::size_t> steps;
  std::optional<double> minutes;
  std::size_t batch = 32;
  double rate = 2e-3;
  double average = 0.999;
  std::size_t threads = 1;
  std::uint64_t seed = 1;
  std::string from;  ///< weights to go on from
  std::string out = "base.safetensors";
  std::string dtype = "f32";
  std::string checkpoint;
};

/// Runs the command; progress goes to `io.err`. On Ctrl-C it saves what it has and ends. Throws lacuna::invalid_argument,
/// lacuna::file_error, lacuna::model_error.
void train(const train_arguments& arguments, const common::streams& io);

/// Adds the subcommand.
void add_train_command(CLI::App& app, const common::streams& io);

}  // namespace arithmetic
