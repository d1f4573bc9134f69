/// @file
/// @brief `sudoku decode`: decodes puzzles with samplers of choice and tells what each costs and solves.
#pragma once

#include <CLI/CLI.hpp>

namespace sudoku {

/// Adds the subcommand.
void add_decode_command(CLI::App& app);

}  // namespace sudoku
