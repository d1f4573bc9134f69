/// @file
/// @brief The standard streams of a program, so that tests can look at what it says.
#pragma once

#include <iosfwd>

namespace common {

/// The streams of a command.
struct streams {
  std::istream& in;
  std::ostream& out;
  std::ostream& err;
};

}  // namespace common
