/// @file
/// @brief A check of the command line: more than 0.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace sudoku {

/// Refuses 0 and less; what is no number is left to the conversion that follows.
inline CLI::Validator positive() {
  return CLI::Validator{[](std::string& text) {
                          double x = 1;
                          return CLI::detail::lexical_cast(text, x) && !(x > 0) ? text + ", expected more than 0"
                                                                                : std::string{};
                        },
                        ""};
}

}  // namespace sudoku
