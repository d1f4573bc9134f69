/// @file
/// @brief The options that name the networks' files.
#pragma once

#include <CLI/CLI.hpp>

#include "networks.hpp"

namespace text {

inline void add_network_options(CLI::App& command, network_files& files) {
  const auto file = [&](const char* name, std::string& value, const char* what) {
    command.add_option(name, value, what)->type_name("FILE")->capture_default_str();
  };
  file("--weights", files.hybrid, "Hybrid network");
  file("--masked", files.masked, "Masked network");
  file("--causal", files.causal, "Causal blocks that verify the masked network, for samplers with on=causal");
}

}  // namespace text
