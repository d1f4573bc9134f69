/// @file
/// @brief The option that says which numbers a file of weights holds.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "lacuna/io/element_type.hpp"

namespace arithmetic {

inline lacuna::io::element_type element_type_of(const std::string& name) {
  return name == "f16"    ? lacuna::io::element_type::f16
         : name == "bf16" ? lacuna::io::element_type::bf16
                          : lacuna::io::element_type::f32;
}

inline void add_element_type(CLI::App& command, std::string& name) {
  command.add_option("--dtype", name, "Numbers of the file")
      ->check(CLI::IsMember({"f32", "f16", "bf16"}))
      ->capture_default_str();
}

}  // namespace arithmetic
