/// @file
/// @brief Where the weights and the list of words that ship with the example lie.
#pragma once

#include <string>

namespace text {

/// The folder of this example's sources, which the build names; without a build, as seen from the repository's root.
std::string data_folder();

}  // namespace text
