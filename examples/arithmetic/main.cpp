/// @file
/// @brief Grade-school word problems: trains a masked diffusion model to solve them, learns orders, and compares orders.
#include <iostream>

#include "command.hpp"

int main(int argc, char** argv) { return arithmetic::run_command(argc, argv, {std::cin, std::cout, std::cerr}); }
