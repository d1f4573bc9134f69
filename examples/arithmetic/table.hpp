/// @file
/// @brief `arithmetic table`: what orders make of test problems, and in how many steps.
///
/// Samplers take turns, a piece of the problems each, so that seconds compare whatever else the machine does. All on the same
/// problems. Two measures: the share of right answers, and of right chains (chain.hpp); standard errors over problems. With
/// `results` the pieces are kept in a file, and a comparison that was interrupted goes on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "../common/streams.hpp"
#include "data_folder.hpp"

namespace CLI {
class App;
}

namespace arithmetic {

struct table_arguments {
  std::string base = data_folder() + "/base.safetensors";
  std::string problems;  ///< a file to be solved; none: test problems are made
  std::size_t count = 2000;
  std::size_t batch = 200;            ///< solved together, and a piece
  std::vector<std::string> samplers;  ///< none: the heuristics at several numbers of steps
  std::uint64_t seed = 1;
  std::size_t threads = 1;
  std::string results;
  bool json = false;
};

/// Runs the command. Throws lacuna::invalid_argument, lacuna::file_error, lacuna::model_error.
void table(const table_arguments& arguments, const common::streams& io);

/// Adds the subcommand.
void add_table_command(CLI::App& app, const common::streams& io);

}  // namespace arithmetic
