/// @file
/// @brief Where the weights that ship with the example lie.
#pragma once

#include <string>

namespace arithmetic {

/// The folder of this example's sources, which the build names; without a build, as seen from the repository's root.
std::string data_folder();

}  // namespace arithmetic
