/// @file
/// @brief `text train`: trains a network on a text, and measures it on another one as it goes.
///
/// Three kinds: `masked`, a masked diffusion model of bidirectional blocks; `hybrid`, the self-speculative one, whose last
/// blocks are causal; `causal`, blocks that verify a masked one that stays as it is. All see the same rows of text. Everything
/// follows from the seed; with a checkpoint the run can be stopped and started again with the same command.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "../common/streams.hpp"

namespace CLI {
class App;
}

namespace text {

struct train_arguments {
  std::string kind = "hybrid";
  std::string text;        ///< file to learn from; - for standard input
  std::string from;        ///< masked network that causal blocks verify
  std::string validation;  ///< file to measure with; none: nothing is measured
  std::size_t length = 128;
  std::size_t width = 128;
  std::size_t depth = 8;   ///< blocks in all
  std::size_t causal = 1;  ///< of these, of a hybrid; beside them, of kind causal
  std::size_t heads = 4;
  std::string residual = "next";  ///< or none
  std::string positions = "rotary";
  std::optional<std::size_t> steps;
  std::optional<double> minutes;
  std::size_t batch = 32;
  double rate = 2e-3;
  double average = 0.999;
  std::size_t threads = 1;
  std::uint64_t seed = 1;
  std::string out = "model.safetensors";
  std::string dtype = "f32";
  std::string checkpoint;
  double evaluate_minutes = 5;
  std::size_t evaluate_rows = 64;
  std::string curve;
};

/// Runs the command; progress goes to `io.err`. On Ctrl-C it saves what it has and ends. Throws lacuna::invalid_argument,
/// lacuna::file_error, lacuna::model_error.
void train(const train_arguments& arguments, const common::streams& io);

/// Adds the subcommand.
void add_train_command(CLI::App& app, const common::streams& io);

}  // namespace text
