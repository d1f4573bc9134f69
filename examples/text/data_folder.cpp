#include "data_folder.hpp"

namespace text {

std::string data_folder() {
#ifdef EXAMPLE_FOLDER
  return EXAMPLE_FOLDER;
#else
  return "examples/text";
#endif
}

}  // namespace text
