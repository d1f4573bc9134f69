/// @file
/// @brief A transformer's configuration as strings and back, to be stored beside its weights.
///
/// Keys begin with "transformer."; others are ignored when reading, so that more can be stored in the same map. Tables of ids
/// are run-length coded: "0x9,1x9,2" is nine zeros, nine ones and a two.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "lacuna/core/errors.hpp"
#include "lacuna/core/number_text.hpp"
#include "lacuna/nn/config.hpp"

namespace lacuna::nn {

namespace metadata_detail {

using map = std::map<std::string, std::string>;

template <class Number>
Number to_number(const std::string& key, std::string_view text) {
  Number value{};
  if (!read_number(text, value))
    throw invalid_argument("metadata: '" + key + "' has '" + std::string{text.substr(0, 40)} + "', expected a number");
  return value;
}

/// Calls f on each part between commas; an empty text has none.
template <class F>
void for_each_part(std::string_view text, const F& f) {
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    f(text.substr(0, comma));
    if (comma == std::string_view::npos) return;
    text.remove_prefix(comma + 1);
    if (text.empty()) f(text);  // a trailing comma leaves an empty part, which no number is
  }
}

template <class Number>
std::string list_to_text(const std::vector<Number>& values) {
  std::string out;
  for (std::size_t i = 0; i < values.size();) {
    std::size_t run = 1;
    while (i + run < values.size() && values[i + run] == values[i]) ++run;
    if (!out.empty()) out += ',';
    out += number_text(values[i]);
    if (run > 1) out += 'x' + number_text(run);
    i += run;
  }
  return out;
}

/// All lists of a configuration together: 1 GiB, so that a damaged file cannot ask for all memory.
inline constexpr std::size_t most_listed = std::size_t{1} << 28U;

/// At most `limit` entries.
template <class Number>
std::vector<Number> text_to_list(const std::string& key, std::string_view text, std::size_t limit) {
  std::vector<Number> out;
  for_each_part(text, [&](std::string_view part) {
    const std::size_t x = part.find('x');
    const auto value = to_number<Number>(key, part.substr(0, x));
    const std::size_t run = x == std::string_view::npos ? 1 : to_number<std::size_t>(key, part.substr(x + 1));
    if (run > limit - out.size())
      throw invalid_argument("metadata: '" + key + "' lists more than " + std::to_string(limit) +
                             " numbers, the most expected");
    out.insert(out.end(), run, value);
  });
  return out;
}

template <class Enum>
struct choice {
  Enum value;
  const char* name;
};
inline constexpr std::array activations{choice<activation>{activation::gelu, "gelu"},
                                        choice<activation>{activation::gelu_erf, "gelu_erf"},
                                        choice<activation>{activation::swiglu, "swiglu"}};
inline constexpr std::array norms{choice<norm_kind>{norm_kind::layer, "layer"}, choice<norm_kind>{norm_kind::rms, "rms"}};
inline constexpr std::array position_kinds{choice<positions>{positions::none, "none"},
                                           choice<positions>{positions::learned, "learned"},
                                           choice<positions>{positions::rotary, "rotary"}};
inline constexpr std::array heads{choice<head_kind>{head_kind::tied, "tied"}, choice<head_kind>{head_kind::own, "own"}};

template <class Choices, class Enum>
std::string name_of(const Choices& choices, Enum value) {
  for (const auto& c : choices)
    if (c.value == value) return c.name;
  throw invalid_argument("metadata: an option has the value " + std::to_string(static_cast<int>(value)) +
                         ", which has no name");
}

template <class Choices>
auto value_of(const Choices& choices, const std::string& key, const std::string& text) {
  std::string names;
  for (const auto& c : choices) {
    if (text == c.name) return c.value;
    names += (names.empty() ? "" : ", ") + std::string{c.name};
  }
  throw invalid_argument("metadata: '" + key + "' is '" + text.substr(0, 40) + "', expected one of " + names);
}

}  // namespace metadata_detail

/// The configuration as key and value.
inline std::map<std::string, std::string> to_metadata(const transformer_config& c) {
  namespace detail = metadata_detail;
  detail::map out;
  const auto put = [&](const std::string& key, std::string value) { out["transformer." + key] = std::move(value); };
  put("vocabulary", number_text(c.vocabulary));
  put("max_length", number_text(c.max_length));
  put("width", number_text(c.width));
  put("depth", number_text(c.depth));
  if (c.distinct_blocks != 0) put("distinct_blocks", number_text(c.distinct_blocks));
  put("heads", number_text(c.heads));
  put("feed_forward", number_text(c.feed_forward));
  put("activation", detail::name_of(detail::activations, c.activation));
  put("norm", detail::name_of(detail::norms, c.norm));
  put("norm_epsilon", number_text(c.norm_epsilon));
  put("positions", detail::name_of(detail::position_kinds, c.positions));
  put("rotary_base", number_text(c.rotary_base));
  put("head", detail::name_of(detail::heads, c.head));
  put("mask_token", number_text(c.mask_token));
  put("forbidden_tokens", detail::list_to_text(c.forbidden_tokens));
  if (c.end_token) put("end_token", number_text(*c.end_token));
  put("features", number_text(c.features.size()));
  for (std::size_t f = 0; f < c.features.size(); ++f) {
    const std::string key = "feature." + std::to_string(f);
    put(key + ".name", c.features[f].name);
    put(key + ".count", number_text(c.features[f].count));
    put(key + ".ids", detail::list_to_text(c.features[f].ids));
  }
  if (c.relation) {
    put("relation.count", number_text(c.relation->count));
    put("relation.ids", detail::list_to_text(c.relation->ids));
    put("relation.initial", detail::list_to_text(c.relation->initial));
  }
  return out;
}

/// The configuration from what `to_metadata` made. Throws invalid_argument naming the key that is missing or wrong.
inline transformer_config from_metadata(const std::map<std::string, std::string>& metadata) {
  namespace detail = metadata_detail;
  const auto has = [&](const std::string& key) { return metadata.count("transformer." + key) != 0; };
  const auto text = [&](const std::string& key) -> const std::string& {
    const auto at = metadata.find("transformer." + key);
    if (at == metadata.end()) throw invalid_argument("metadata: the key 'transformer." + key + "' is missing");
    return at->second;
  };
  const auto size = [&](const std::string& key) { return detail::to_number<std::size_t>("transformer." + key, text(key)); };
  const auto chosen = [&](const auto& choices, const std::string& key) {
    return detail::value_of(choices, "transformer." + key, text(key));
  };
  transformer_config c;
  c.vocabulary = size("vocabulary");
  c.max_length = size("max_length");
  c.width = size("width");
  c.depth = size("depth");
  if (has("distinct_blocks")) c.distinct_blocks = size("distinct_blocks");
  c.heads = size("heads");
  c.feed_forward = size("feed_forward");
  c.activation = chosen(detail::activations, "activation");
  c.norm = chosen(detail::norms, "norm");
  c.norm_epsilon = detail::to_number<float>("transformer.norm_epsilon", text("norm_epsilon"));
  c.positions = chosen(detail::position_kinds, "positions");
  c.rotary_base = detail::to_number<float>("transformer.rotary_base", text("rotary_base"));
  c.head = chosen(detail::heads, "head");
  c.mask_token = detail::to_number<token>("transformer.mask_token", text("mask_token"));
  std::size_t left = detail::most_listed;
  const auto list = [&](auto number, const std::string& key, std::size_t limit) {
    auto values = detail::text_to_list<decltype(number)>("transformer." + key, text(key), std::min(limit, left));
    left -= values.size();
    return values;
  };
  c.forbidden_tokens = list(token{}, "forbidden_tokens", c.vocabulary);
  if (has("end_token")) c.end_token = detail::to_number<token>("transformer.end_token", text("end_token"));
  const std::size_t features = size("features");
  for (std::size_t f = 0; f < features; ++f) {
    const std::string key = "feature." + std::to_string(f);
    position_feature feature;
    feature.name = text(key + ".name");
    feature.count = size(key + ".count");
    feature.ids = list(std::uint32_t{}, key + ".ids", c.max_length);
    c.features.push_back(std::move(feature));
  }
  if (has("relation.count")) {
    position_relation relation;
    relation.count = size("relation.count");
    relation.ids = list(std::uint32_t{}, "relation.ids", left);  // `check` below asks for the exact number
    relation.initial = list(float{}, "relation.initial", std::size_t{1} << 20U);
    c.relation = std::move(relation);
  }
  check(c);
  return c;
}

namespace metadata_detail {
template <class Number>
Number number_at(const map& metadata, const std::string& key) {
  const auto found = metadata.find(key);
  if (found == metadata.end()) throw invalid_argument("metadata: '" + key + "' is missing");
  return to_number<Number>(key, found->second);
}
}  // namespace metadata_detail

}  // namespace lacuna::nn
