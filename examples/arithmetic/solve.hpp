/// @file
/// @brief `arithmetic solve`: solves a problem, and shows which tokens came at which step.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "../common/streams.hpp"
#include "data_folder.hpp"

namespace CLI {
class App;
}

namespace arithmetic {

struct solve_arguments {
  std::string question;  ///< empty: a test problem is made
  std::string base = data_folder() + "/base.safetensors";
  std::string sampler = "entropy_bound";
  std::uint64_t seed = 1;
  std::size_t number = 0;  ///< of the test problem
  std::string picture;
};

/// Runs the command. Throws lacuna::invalid_argument, lacuna::file_error, lacuna::model_error.
void solve(const solve_arguments& arguments, const common::streams& io);

/// Adds the subcommand.
void add_solve_command(CLI::App& app, const common::streams& io);

}  // namespace arithmetic
