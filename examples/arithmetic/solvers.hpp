/// @file
/// @brief The orders of the arithmetic example by name, as samplers.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "../common/sampler_spec.hpp"
#include "lacuna/sample/any_sampler.hpp"
#include "network.hpp"

namespace arithmetic {

struct solver {
  std::string text;        ///< as on the command line, with all parameters
  std::size_t budget = 0;  ///< steps at most, 0 where there is no such number
  lacuna::sample::any_hidden_sampler sampler;
  std::shared_ptr<lacuna::nn::transformer> trunk;  ///< runs on this network; nullptr: the base model
};

/// From `name:key=value,…`. Learned orders are read from the file that `order=` names. Throws lacuna::invalid_argument for an
/// unknown name or parameter, or a value out of range; lacuna::file_error.
solver make_solver(std::string_view text, std::size_t threads);

/// Two lines for each name: its parameters with their defaults, and what it does.
std::string list_solvers();

}  // namespace arithmetic
