/// @file
/// @brief Sudoku as a language of 81 tokens: trains a small masked diffusion model on it, and decodes with it.
#include <iostream>

#include "command.hpp"

int main(int argc, char** argv) { return sudoku::run_command(argc, argv, {std::cin, std::cout, std::cerr}); }
