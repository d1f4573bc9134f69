/// @file
/// @brief The shape of a hybrid transformer as strings and back, to be stored beside its weights.
///
/// Keys begin with "hybrid." and, for the trunk, "transformer." (nn/metadata.hpp). Errors: invalid_argument naming the key.
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <string>

#include "lacuna/core/errors.hpp"
#include "lacuna/core/number_text.hpp"
#include "lacuna/nn/hybrid_config.hpp"
#include "lacuna/nn/metadata.hpp"

namespace lacuna::nn {

namespace metadata_detail {
inline constexpr std::array output_residuals{choice<output_residual>{output_residual::on, "on"},
                                             choice<output_residual>{output_residual::off, "off"}};
}  // namespace metadata_detail

/// The configuration as key and value.
inline std::map<std::string, std::string> to_metadata(const hybrid_config& c) {
  std::map<std::string, std::string> out = to_metadata(c.trunk);
  out["hybrid.causal_depth"] = number_text(c.causal_depth);
  out["hybrid.residual"] = metadata_detail::name_of(metadata_detail::output_residuals, c.residual);
  return out;
}

/// The configuration from what `to_metadata` made.
inline hybrid_config hybrid_from_metadata(const std::map<std::string, std::string>& metadata) {
  const auto text = [&](const std::string& key) -> const std::string& {
    const auto found = metadata.find(key);
    if (found == metadata.end())
      throw invalid_argument("metadata: '" + key + "' is missing, expected those of a hybrid transformer");
    return found->second;
  };
  hybrid_config c;
  c.trunk = from_metadata(metadata);
  c.causal_depth = metadata_detail::to_number<std::size_t>("hybrid.causal_depth", text("hybrid.causal_depth"));
  c.residual = metadata_detail::value_of(metadata_detail::output_residuals, "hybrid.residual", text("hybrid.residual"));
  check(c);
  return c;
}

}  // namespace lacuna::nn
