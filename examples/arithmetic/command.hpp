/// @file
/// @brief The command line of the arithmetic example.
#pragma once

#include "../common/streams.hpp"

namespace arithmetic {

/// Exit codes: 0 done, 1 a file or a model is not as it should be, 2 wrong arguments, 130 interrupted.
int run_command(int argc, const char* const* argv, const common::streams& io);

}  // namespace arithmetic
