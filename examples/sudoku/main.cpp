/// @file
/// @brief Sudoku as a language of 81 tokens: trains a small masked diffusion model on it, and decodes with it.
///
/// Each subcommand lies in a header of its own.
#include <CLI/CLI.hpp>
#include <exception>
#include <iostream>

#include "decode.hpp"
#include "train.hpp"

int main(int argc, char** argv) {
  CLI::App app{"Solves Sudoku puzzles with a masked diffusion model", "sudoku"};
  app.require_subcommand(1);
  sudoku::add_decode_command(app);
  sudoku::add_train_command(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e);
  } catch (const std::exception& e) {
    std::cerr << "sudoku: " << e.what() << '\n';
    return 1;
  }
  return 0;
}
