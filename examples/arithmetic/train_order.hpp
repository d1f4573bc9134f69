/// @file
/// @brief `arithmetic train-order`: learns an order on a trained base model, which stays as it is or learns along.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "../common/streams.hpp"
#include "data_folder.hpp"

namespace CLI {
class App;
}

namespace arithmetic {

struct train_order_arguments {
  std::string base = data_folder() + "/base.safetensors";
  std::string problems;  ///< a file to learn from; none: they are made
  std::size_t count = 50000;
  std::size_t least_budget = 3, most_budget = 3;  ///< T, drawn for each problem
  std::size_t paths = 8;
  double tau = 0.1;
  double beta = 1;
  bool along = false;  ///< the base model learns too
  std::size_t head_width = 64;
  double start = -1;  ///< logit of every position before training
  std::size_t score_width = 64, score_depth = 2;
  std::optional<std::size_t> steps;
  std::optional<double> minutes;
  std::size_t batch = 16;
  double rate = 1e-3;
  double average = 0.99;
  std::size_t threads = 1;
  std::uint64_t seed = 1;
  std::string out = "order.safetensors";
  std::string dtype = "f32";
  std::string checkpoint;
  std::string curve;
};

/// Runs the command; progress goes to `io.err`. On Ctrl-C it saves what it has and ends. Throws lacuna::invalid_argument,
/// lacuna::file_error, lacuna::model_error.
void train_order(const train_order_arguments& arguments, const common::streams& io);

/// Adds the subcommand.
void add_train_order_command(CLI::App& app, const common::streams& io);

}  // namespace arithmetic
