/// @file
/// @brief `arithmetic generate`: writes problems as JSON lines, in the format of GSM8K.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../common/streams.hpp"

namespace CLI {
class App;
}

namespace arithmetic {

struct generate_arguments {
  std::size_t count = 10;
  std::uint64_t seed = 1;
  bool test = false;
};

void generate(const generate_arguments& arguments, const common::streams& io);

/// Adds the subcommand.
void add_generate_command(CLI::App& app, const common::streams& io);

}  // namespace arithmetic
