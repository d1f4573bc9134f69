/// @file
/// @brief The library's samplers by name: where compile-time composition meets the command line.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lacuna/sample/decode.hpp"
#include "lacuna/sample/trace_recorder.hpp"
#include "model.hpp"
#include "sampler_spec.hpp"

namespace sudoku {

using decoder = std::function<lacuna::batch_result(model&, std::span<const lacuna::job>, const lacuna::decode_options&)>;
using tracer =
    std::function<lacuna::decode_result(model&, const lacuna::canvas&, std::uint64_t seed, lacuna::sample::trace_recorder&)>;

/// A sampler with its parameters.
struct named_sampler {
  std::string name;
  std::vector<parameters::value> values;  ///< all parameters, also those left at their defaults
  decoder decode;
  tracer trace;

  /// As on the command line; without the temperature if that is 0, argmax.
  [[nodiscard]] std::string text() const {
    std::string t = name;
    for (const parameters::value& v : values)
      if (v.key != "temperature" || v.text != "0") t += (t == name ? ":" : ",") + v.key + "=" + v.text;
    return t;
  }
};

/// From `name:key=value,…`. Throws lacuna::invalid_argument for an unknown name or parameter, or a value out of range.
named_sampler make_sampler(std::string_view text);

/// One line for each sampler: its parameters with their defaults, and when to choose it.
std::string list_samplers();

}  // namespace sudoku
