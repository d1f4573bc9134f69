/// @file
/// @brief The library's samplers by name: where compile-time composition meets the command line.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lacuna/sample/any_sampler.hpp"
#include "sampler_spec.hpp"

namespace sudoku {

/// A sampler with its parameters.
struct named_sampler {
  std::string name;
  std::vector<parameter> parameters;  ///< all of them, also those left at their defaults
  lacuna::sample::any_sampler sampler;

  /// As on the command line; without the temperature if that is 0, argmax.
  [[nodiscard]] std::string text() const;
};

/// From `name:key=value,…`. Throws lacuna::invalid_argument for an unknown name or parameter, or a value out of range.
named_sampler make_sampler(std::string_view text);

/// The names of all samplers.
std::vector<std::string> sampler_names();

/// Two lines for each sampler: its parameters with their defaults, and what it does.
std::string list_samplers();

}  // namespace sudoku
