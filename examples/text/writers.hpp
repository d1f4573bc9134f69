/// @file
/// @brief The samplers of the text example by name, each with the network it runs on.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "../common/sampler_spec.hpp"
#include "lacuna/concepts/observer.hpp"
#include "lacuna/core/cost.hpp"
#include "lacuna/likelihood/bound.hpp"
#include "lacuna/sample/decode.hpp"
#include "networks.hpp"

namespace text {

/// Texts as they were written, with what each cost in passes of the whole network.
struct written {
  std::vector<std::string> texts;
  std::vector<double> passes;
};

/// Is told of each step; may be empty.
using watcher = std::function<void(const lacuna::step_event&)>;

struct writer {
  std::string text;     ///< as on the command line, with all parameters
  std::string network;  ///< masked, hybrid or causal
  std::function<written(const networks&, std::span<const lacuna::job>, const lacuna::decode_options&, const watcher&)> write;
  /// Passes of the whole network.
  std::function<double(const networks&, const lacuna::nfe&)> passes;
  /// log p(x), or an estimate of a lower bound of it, whose random numbers `stream` names. Empty where no order that is the
  /// same for all texts, or uniformly random, stands for the sampler.
  std::function<lacuna::likelihood::bound(const networks&, std::span<const lacuna::token> x, std::uint64_t stream)> likelihood;
};

/// From `name:key=value,…`. Throws lacuna::invalid_argument for an unknown name or parameter, or a value out of range.
writer make_writer(std::string_view text);

/// Two lines for each name: its parameters with their defaults, and what it does.
std::string list_writers();

}  // namespace text
