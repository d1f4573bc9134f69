#include "data_folder.hpp"

namespace sudoku {

std::string data_folder() {
#ifdef EXAMPLE_FOLDER
  return EXAMPLE_FOLDER;
#else
  return "examples/sudoku";
#endif
}

}  // namespace sudoku
