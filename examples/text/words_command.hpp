/// @file
/// @brief `text words`: lists the words of a text, against which spelling is measured.
#pragma once

#include "../common/streams.hpp"

namespace CLI {
class App;
}

namespace text {

/// Adds the subcommand.
void add_words_command(CLI::App& app, const common::streams& io);

}  // namespace text
