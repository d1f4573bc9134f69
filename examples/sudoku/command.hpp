/// @file
/// @brief The program behind main: arguments and streams in, an exit code out.
#pragma once

#include "decode.hpp"

namespace sudoku {

/// Exit codes: 0 done, 1 a file or a model is not as it should be, 2 wrong arguments, 130 interrupted.
int run_command(int argc, const char* const* argv, const streams& io);

}  // namespace sudoku
