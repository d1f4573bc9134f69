/// @file
/// @brief `text generate`: writes texts, from nothing or around what is given.
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

struct generate_arguments {
  std::string sampler = "speculative:n=3,delta=0.05";
  network_files files{};
  std::string start;  ///< what is given: symbols, and an underscore for each gap; gaps follow up to the length
  std::size_t count = 5;
  std::size_t length = 0;  ///< 0: the longest the network takes
  std::uint64_t seed = 0;
  std::size_t threads = 1;
};

/// Runs the command. Throws lacuna::invalid_argument, lacuna::file_error, lacuna::model_error.
void generate(const generate_arguments& arguments, const common::streams& io);

/// Adds the subcommand.
void add_generate_command(CLI::App& app, const common::streams& io);

}  // namespace text
