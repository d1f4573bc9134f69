/// @file
/// @brief Parses and checks the header of a safetensors file (the format is described in io/safetensors.hpp).
///
/// A file from anywhere is untrusted: every size is checked before it is used, with overflow in mind, and a parsed header
/// describes only bytes that exist. Cost: O(header).
/// Errors: `file_error` naming the file and the tensor.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "lacuna/core/errors.hpp"
#include "lacuna/core/shape_text.hpp"
#include "lacuna/io/element_type.hpp"
#include "lacuna/io/shape.hpp"

namespace lacuna::io {

/// The longest header that is read, as in the format's reference implementation.
inline constexpr std::size_t safetensors_header_limit = 100'000'000;

/// One tensor of a file; its bytes are [begin, end) after the header.
struct tensor_entry {
  std::string name;
  element_type type = element_type::f32;
  std::vector<std::size_t> shape;
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// A checked header.
struct safetensors_header {
  std::vector<tensor_entry> entries;                      ///< by offset
  std::map<std::string, std::size_t, std::less<>> index;  ///< name to entry
  std::map<std::string, std::string> metadata;
  std::size_t data_begin = 0;  ///< where the tensors start in the file
};

namespace detail {

/// The JSON text of the header; nesting and repeated names, which JSON leaves open, are refused while it is read.
inline nlohmann::json parse_header_text(std::string_view text, const std::string& file) {
  std::set<std::string> names;
  const auto check = [&](int depth, nlohmann::json::parse_event_t event, nlohmann::json& value) {
    if (depth > 4) throw file_error{file + ": malformed header: nested too deeply"};
    if (event == nlohmann::json::parse_event_t::key && depth == 1 && !names.insert(value.get<std::string>()).second) {
      throw file_error{file + ": tensor \"" + value.get<std::string>() + "\" appears twice"};
    }
    return true;
  };
  try {
    return nlohmann::json::parse(text.begin(), text.end(), check);
  } catch (const nlohmann::json::exception& e) {
    throw file_error{file + ": malformed header: " + e.what()};
  }
}

inline tensor_entry parse_entry(const std::string& name, const nlohmann::json& description, const std::string& file) {
  const auto complain = [&](const std::string& what) { throw file_error{file + ": tensor \"" + name + "\" " + what}; };
  if (!description.is_object()) complain("is not described by an object");
  for (const char* key : {"dtype", "shape", "data_offsets"}) {
    if (!description.contains(key)) complain(std::string{"has no \""} + key + "\"");
  }
  if (description.size() != 3) complain("is described by more than dtype, shape and data_offsets");
  const auto sizes_of = [&](const char* key) {
    const nlohmann::json& list = description.at(key);
    std::vector<std::size_t> sizes;
    if (!list.is_array()) complain(std::string{"has a "} + key + " that is not a list");
    for (const nlohmann::json& element : list) {
      if (!element.is_number_unsigned()) {
        complain(std::string{"has "} + key + " " + list.dump().substr(0, 100) + ", expected non-negative integers");
      }
      sizes.push_back(element.get<std::size_t>());
    }
    return sizes;
  };

  tensor_entry entry{name, {}, sizes_of("shape"), 0, 0};
  const nlohmann::json& type = description.at("dtype");
  if (!type.is_string()) complain("has a dtype that is not a string");
  const auto known = element_type_named(type.get_ref<const std::string&>());
  if (!known) complain("has unknown dtype \"" + type.get<std::string>() + "\"");
  entry.type = *known;

  const std::vector<std::size_t> offsets = sizes_of("data_offsets");
  if (offsets.size() != 2 || offsets[0] > offsets[1]) {
    complain("has data_offsets " + shape_text(offsets) + ", expected [begin, end]");
  }
  entry.begin = offsets[0];
  entry.end = offsets[1];

  std::size_t elements = 0;
  std::size_t bytes = 0;
  const bool fits = checked_product(entry.shape, elements) &&
                    checked_product(std::array<std::size_t, 2>{elements, size_of(entry.type)}, bytes);
  if (!fits) complain("has shape " + shape_text(entry.shape) + ", more than fits into memory");
  if (entry.end - entry.begin != bytes) {
    complain("has " + std::to_string(entry.end - entry.begin) + " bytes, expected " + std::to_string(bytes) + " for " +
             std::string{name_of(entry.type)} + " " + shape_text(entry.shape));
  }
  return entry;
}

}  // namespace detail

/// Parses the header of a whole file given as bytes; `file` is how errors call it.
inline safetensors_header parse_safetensors_header(std::span<const std::byte> bytes, const std::string& file) {
  std::uint64_t length = 0;
  if (bytes.size() < sizeof length) {
    throw file_error{file + ": truncated: " + std::to_string(bytes.size()) + " bytes, expected at least 8"};
  }
  std::memcpy(&length, bytes.data(), sizeof length);
  if (length > safetensors_header_limit) {
    throw file_error{file + ": header of " + std::to_string(length) + " bytes, expected at most " +
                     std::to_string(safetensors_header_limit) + "; not a safetensors file?"};
  }
  if (length > bytes.size() - sizeof length) {
    throw file_error{file + ": truncated: header of " + std::to_string(length) + " bytes, but only " +
                     std::to_string(bytes.size() - sizeof length) + " follow"};
  }
  const std::string_view text{reinterpret_cast<const char*>(bytes.data()) + sizeof length, static_cast<std::size_t>(length)};
  if (!text.starts_with('{')) throw file_error{file + ": malformed header: expected a JSON object"};
  const nlohmann::json parsed = detail::parse_header_text(text, file);

  safetensors_header header;
  header.data_begin = sizeof length + static_cast<std::size_t>(length);
  for (const auto& [name, description] : parsed.items()) {
    if (name != "__metadata__") {
      header.entries.push_back(detail::parse_entry(name, description, file));
      continue;
    }
    if (!description.is_object()) throw file_error{file + ": __metadata__ is not an object"};
    for (const auto& [key, value] : description.items()) {
      if (!value.is_string()) throw file_error{file + ": the metadata \"" + key + "\" is not a string"};
      header.metadata.emplace(key, value.get<std::string>());
    }
  }

  std::sort(header.entries.begin(), header.entries.end(), [](const tensor_entry& a, const tensor_entry& b) {
    return std::pair{a.begin, a.end} < std::pair{b.begin, b.end};
  });
  const std::size_t data_size = bytes.size() - header.data_begin;
  std::size_t covered = 0;
  for (const tensor_entry& entry : header.entries) {
    const auto complain = [&](const std::string& what) { throw file_error{file + ": tensor \"" + entry.name + "\" " + what}; };
    if (entry.end > data_size) {
      complain("ends at byte " + std::to_string(entry.end) + ", but the file has " + std::to_string(data_size) +
               " after the header: truncated?");
    }
    if (entry.begin < covered) complain("overlaps the tensor before it, which ends at " + std::to_string(covered));
    if (entry.begin > covered) {
      complain("begins at byte " + std::to_string(entry.begin) + ", expected " + std::to_string(covered) + ": a hole");
    }
    covered = entry.end;
  }
  if (covered != data_size) {
    throw file_error{file + ": " + std::to_string(data_size - covered) + " bytes after the last tensor, expected none"};
  }
  for (std::size_t i = 0; i < header.entries.size(); ++i) header.index.emplace(header.entries[i].name, i);
  return header;
}

}  // namespace lacuna::io
