/// @file
/// @brief English in 27 symbols: trains small masked diffusion models on it, and writes with them.
#include <iostream>

#include "command.hpp"

int main(int argc, char** argv) { return text::run_command(argc, argv, {std::cin, std::cout, std::cerr}); }
