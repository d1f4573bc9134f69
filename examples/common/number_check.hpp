/// @file
/// @brief Numbers on the command line, and checks of them.
///
/// CLI11 itself reads 010 as eight, -1 as the largest whole number and what is too large as one that is not, and holds NaN to
/// lie in any range.
#pragma once

#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include "lacuna/core/number_text.hpp"

namespace common {

/// A whole number of digits alone, from `least` to `most`. To be used with `transform`, since it takes leading zeros away.
inline CLI::Validator whole(std::uint64_t least, std::uint64_t most = std::numeric_limits<std::uint64_t>::max()) {
  return CLI::Validator{[least, most](std::string& text) {
                          std::uint64_t n = 0;
                          if (!lacuna::read_number(text, n) || n < least || n > most)
                            return text + ", expected a whole number from " + std::to_string(least) +
                                   (most == std::numeric_limits<std::uint64_t>::max() ? "" : " to " + std::to_string(most));
                          text = std::to_string(n);
                          return std::string{};
                        },
                        ""};
}

/// An option that takes a number, with its default value shown.
template <class Number>
CLI::Option* add_number(CLI::App& command, const std::string& name, Number& value, const std::string& what) {
  return command.add_option(name, value, what)->type_name("N")->capture_default_str();
}

namespace detail {

/// A number that `holds` says something good of.
template <class Holds>
CLI::Validator real(Holds holds, const std::string& expected) {
  return CLI::Validator{[holds, expected](std::string& text) {
                          double x = 0;
                          return CLI::detail::lexical_cast(text, x) && std::isfinite(x) && holds(x)
                                     ? std::string{}
                                     : text + ", expected " + expected;
                        },
                        ""};
}

}  // namespace detail

/// A number more than 0.
inline CLI::Validator positive() {
  return detail::real([](double x) { return x > 0; }, "a number more than 0");
}

/// A number from `least` to `most`.
inline CLI::Validator between(double least, double most) {
  return detail::real([=](double x) { return x >= least && x <= most; },
                      "a number from " + lacuna::number_text(least) + " to " + lacuna::number_text(most));
}

}  // namespace common
