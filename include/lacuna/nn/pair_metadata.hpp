/// @file
/// @brief The shape of a head on pairs as strings and back, to be stored beside its weights.
///
/// Keys begin with "pairs.", and for a contextual head also with "transformer." (nn/metadata.hpp). Errors: invalid_argument
/// naming the key.
#pragma once

#include <cstddef>
#include <map>
#include <string>

#include "lacuna/core/errors.hpp"
#include "lacuna/core/number_text.hpp"
#include "lacuna/nn/contextual_head.hpp"
#include "lacuna/nn/hadamard_head.hpp"
#include "lacuna/nn/metadata.hpp"

namespace lacuna::nn {

inline std::map<std::string, std::string> to_metadata(const hadamard_config& c) {
  return {{"pairs.head", "hadamard"},
          {"pairs.hidden", number_text(c.hidden)},
          {"pairs.width", number_text(c.width)},
          {"pairs.norm_epsilon", number_text(c.norm_epsilon)}};
}

inline std::map<std::string, std::string> to_metadata(const contextual_config& c) {
  std::map<std::string, std::string> out = to_metadata(c.blocks);
  out["pairs.head"] = "contextual";
  out["pairs.hidden"] = number_text(c.hidden);
  out["pairs.rank"] = number_text(c.rank);
  return out;
}

/// "hadamard" or "contextual": which head the metadata describe.
inline std::string pair_head_kind(const std::map<std::string, std::string>& metadata) {
  const auto found = metadata.find("pairs.head");
  if (found == metadata.end()) throw invalid_argument("metadata: 'pairs.head' is missing, expected those of a head on pairs");
  if (found->second != "hadamard" && found->second != "contextual")
    throw invalid_argument("metadata: 'pairs.head' is '" + found->second.substr(0, 40) + "', expected hadamard or contextual");
  return found->second;
}

/// Refuses metadata of another head.
inline void expect_pair_head(const std::map<std::string, std::string>& metadata, const std::string& kind) {
  const std::string found = pair_head_kind(metadata);
  if (found != kind) throw invalid_argument("metadata: 'pairs.head' is '" + found + "', expected " + kind);
}

inline hadamard_config hadamard_from_metadata(const std::map<std::string, std::string>& metadata) {
  expect_pair_head(metadata, "hadamard");
  hadamard_config c;
  c.hidden = metadata_detail::number_at<std::size_t>(metadata, "pairs.hidden");
  c.width = metadata_detail::number_at<std::size_t>(metadata, "pairs.width");
  c.norm_epsilon = metadata_detail::number_at<float>(metadata, "pairs.norm_epsilon");
  check(c);
  return c;
}

inline contextual_config contextual_from_metadata(const std::map<std::string, std::string>& metadata) {
  expect_pair_head(metadata, "contextual");
  contextual_config c;
  c.hidden = metadata_detail::number_at<std::size_t>(metadata, "pairs.hidden");
  c.rank = metadata_detail::number_at<std::size_t>(metadata, "pairs.rank");
  c.blocks = from_metadata(metadata);
  check(c);
  return c;
}

}  // namespace lacuna::nn
