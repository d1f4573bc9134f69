/// @file
/// @brief `text complete`: fills the gaps of a text, and shows the passes in which each symbol came.
///
/// A line a step: the passes of the whole network so far, the text, and below it a mark for each new symbol: `.` drafted, by a
/// sampler that verifies nothing; `+` drafted and accepted; `^` redrawn, since its draft was refused.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "../common/streams.hpp"
#include "networks.hpp"

namespace CLI {
class App;
}

namespace text {

struct complete_arguments {
  std::string gapped;                                 ///< a to z and spaces, an underscore for each gap
  std::string sampler = "speculative:n=3,delta=0.2";  ///< gaps are few: a wide window
  network_files files{};
  std::uint64_t seed = 0;
  std::size_t threads = 1;
  bool json = false;
};

/// Runs the command. Throws lacuna::invalid_argument, lacuna::file_error, lacuna::model_error.
void complete(const complete_arguments& arguments, const common::streams& io);

/// Adds the subcommand.
void add_complete_command(CLI::App& app, const common::streams& io);

}  // namespace text
