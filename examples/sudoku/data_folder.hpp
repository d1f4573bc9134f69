/// @file
/// @brief Where the puzzles and weights that ship with the example lie.
#pragma once

#include <string>

namespace sudoku {

/// The folder of this example's sources, which the build names; without a build, as seen from the repository's root.
inline std::string data_folder() {
#ifdef EXAMPLE_FOLDER
  return EXAMPLE_FOLDER;
#else
  return "examples/sudoku";
#endif
}

}  // namespace sudoku
