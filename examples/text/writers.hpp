/// @file
/// @brief The samplers of the text example by name, each with the network it runs on.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "../common/sampler_spec.hpp"
#include "lacuna/sample/decode.hpp"
#include "networks.hpp"

namespace text {

/// Texts as they were written, with what each cost in passes of the whole network.
struct written {
  std::vector<std::string> texts;
  std::vector<double> passes;
};

struct writer {
  std::string text;     ///< as on the command line, with all parameters
  std::string network;  ///< masked or hybrid
  std::function<written(const networks&, std::span<const lacuna::job>, const lacuna::decode_options&)> write;
};

/// From `name:key=value,…`. Throws lacuna::invalid_argument for an unknown name or parameter, or a value out of range.
writer make_writer(std::string_view text);

/// Two lines for each name: its parameters with their defaults, and what it does.
std::string list_writers();

}  // namespace text
