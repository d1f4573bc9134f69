#include "data_folder.hpp"

namespace arithmetic {

std::string data_folder() {
#ifdef EXAMPLE_FOLDER
  return EXAMPLE_FOLDER;
#else
  return "examples/arithmetic";
#endif
}

}  // namespace arithmetic
