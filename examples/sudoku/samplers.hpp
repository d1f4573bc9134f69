/// @file
/// @brief The library's samplers by name: where compile-time composition meets the command line.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "../common/sampler_spec.hpp"
#include "lacuna/sample/any_sampler.hpp"

namespace sudoku {

using namespace common;

class estimator_slot;

/// A sampler with its parameters.
struct named_sampler {
  std::string name;
  std::vector<parameter> parameters;  ///< all of them, also those left at their defaults
  lacuna::sample::any_hidden_sampler sampler;
  bool probes_are_passes = false;                             ///< its probes wait for each other as passes do
  std::shared_ptr<const double> estimator_seconds = nullptr;  ///< spent in a trained estimator, where it has one

  /// As on the command line; without the temperature if that is 0, argmax.
  [[nodiscard]] std::string text() const;
};

/// From `name:key=value,…`. Throws lacuna::invalid_argument for an unknown name or parameter, or a value out of range, and for
/// a trained estimator without a slot where it will be (estimator_slot.hpp).
named_sampler make_sampler(std::string_view text, estimator_slot* slot = nullptr);

/// The names of all samplers.
std::vector<std::string> sampler_names();

/// Two lines for each sampler: its parameters with their defaults, and what it does.
std::string list_samplers();

}  // namespace sudoku
