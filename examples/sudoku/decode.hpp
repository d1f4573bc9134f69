/// @file
/// @brief `sudoku decode`: decodes puzzles with samplers of choice and tells what each costs and solves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "../common/streams.hpp"
#include "data_folder.hpp"
#include "estimator_slot.hpp"
#include "model.hpp"

namespace CLI {
class App;
}

namespace sudoku {

using namespace common;

struct decode_arguments {
  std::string file = data_folder() + "/expert-1000.csv";  ///< - for standard input
  std::string weights = data_folder() + "/best.safetensors";
  std::string estimator;              ///< of mutual information; none: the one beside the weights
  std::vector<std::string> samplers;  ///< none: a few to compare, or with grids the first of these
  std::optional<std::size_t> count;   ///< only the first so many puzzles
  std::uint64_t seed = 0;
  std::size_t batch = 64;
  std::size_t threads = 1;
  bool grids = false;
  bool json = false;
  bool list = false;
  std::string picture;
  std::string trace;
};

/// Runs the command. `load` makes the model of the file and the number of threads that it is given, `load_estimator` the
/// estimator, if a sampler wants it; they are called when all other arguments have proved right. Throws
/// lacuna::invalid_argument, lacuna::file_error, lacuna::model_error.
void decode(const decode_arguments& arguments, const streams& io,
            const std::function<model(const std::string&, std::size_t)>& load = load_model,
            const estimator_slot::loading& load_estimator = load_pair_estimator);

/// Adds the subcommand.
void add_decode_command(CLI::App& app, const streams& io);

}  // namespace sudoku
