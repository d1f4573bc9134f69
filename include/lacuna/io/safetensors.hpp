/// @file
/// @brief Reads and writes safetensors files: named tensors in one file that any tool of the field opens.
///
/// The format: 8 bytes, little-endian, the length of the header; the header, a JSON object {name: {"dtype", "shape",
/// "data_offsets"}}, optionally with "__metadata__": {string: string}, optionally padded with spaces; then the tensors, raw,
/// little-endian, row-major. Offsets count from the end of the header; the tensors cover the rest of the file without holes.
///
/// `safetensors_file` maps a file and checks all of that before it hands out a byte; a tensor is converted to float only when
/// it is read. `write_safetensors` writes one atomically. Cost: reading costs the header and the pages looked at.
///
/// Errors: `file_error` that names the file and the tensor, with got and expected: truncated, header too long (more than
/// 100 MB) or malformed, bytes left over, offsets that overlap, leave holes or lie outside, a size that is not shape times
/// type, an unknown type; on reading: a missing or unexpected tensor, another shape, a type that is not floating, an element
/// that is not finite.
/// @code
/// lacuna::io::safetensors_file file{"model.safetensors"};
/// std::vector<float> weights(64 * 64);
/// file.read_finite("layer.weight", std::array<std::size_t, 2>{64, 64}, weights);
/// @endcode
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
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
#include "lacuna/io/atomic_file.hpp"
#include "lacuna/io/element_type.hpp"
#include "lacuna/io/mapped_file.hpp"
#include "lacuna/io/safetensors_header.hpp"

namespace lacuna::io {

/// A mapped file whose header has been checked. Movable; entries stay valid while it lives.
class safetensors_file {
 public:
  explicit safetensors_file(const std::filesystem::path& path)
      : path_{path.string()}, file_{path}, header_{parse_safetensors_header(file_.bytes(), path_)} {}

  /// All tensors, in the order of their bytes.
  [[nodiscard]] std::span<const tensor_entry> entries() const { return header_.entries; }
  [[nodiscard]] const std::map<std::string, std::string>& metadata() const { return header_.metadata; }
  [[nodiscard]] const std::string& path() const { return path_; }

  /// The value of a metadata key that must be there.
  [[nodiscard]] const std::string& metadata_at(const std::string& key) const {
    const auto found = header_.metadata.find(key);
    if (found == header_.metadata.end()) throw file_error{path_ + ": the metadata has no \"" + key + "\""};
    return found->second;
  }

  /// Refuses a file without these metadata; others are fine.
  void expect_metadata(const std::map<std::string, std::string>& expected) const {
    for (const auto& entry : expected)
      if (const std::string& found = metadata_at(entry.first); found != entry.second)
        throw file_error{path_ + ": metadata \"" + entry.first + "\" is \"" + found + "\", expected \"" + entry.second + "\""};
  }

  [[nodiscard]] bool contains(std::string_view name) const { return find(name) != nullptr; }

  /// The tensor of that name, or a `file_error`.
  [[nodiscard]] const tensor_entry& at(std::string_view name) const {
    const tensor_entry* entry = find(name);
    if (entry == nullptr) {
      throw file_error{path_ + ": tensor \"" + std::string{name} + "\" is missing among " +
                       std::to_string(header_.entries.size())};
    }
    return *entry;
  }

  /// The raw bytes, not necessarily aligned.
  [[nodiscard]] std::span<const std::byte> bytes(const tensor_entry& entry) const {
    return file_.bytes().subspan(header_.data_begin + entry.begin, entry.end - entry.begin);
  }

  /// Converts a floating tensor of exactly this shape into `out`, whose size is the product of the shape.
  void read(std::string_view name, std::span<const std::size_t> shape, std::span<float> out) const {
    const tensor_entry& entry = at(name);
    const auto complain = [&](const std::string& what) { throw file_error{path_ + ": tensor \"" + entry.name + "\" " + what}; };
    if (!std::equal(shape.begin(), shape.end(), entry.shape.begin(), entry.shape.end())) {
      complain("has shape " + shape_text(entry.shape) + ", expected " + shape_text(shape));
    }
    if (!is_floating(entry.type)) {
      complain("has dtype " + std::string{name_of(entry.type)} + ", expected F32, F16, BF16 or F64");
    }
    const std::span<const std::byte> raw = bytes(entry);
    const std::size_t width = size_of(entry.type);
    if (raw.size() != out.size() * width) {
      throw invalid_argument{"tensor \"" + entry.name + "\": room for " + std::to_string(out.size()) + " floats, expected " +
                             std::to_string(raw.size() / width)};
    }
    if (entry.type == element_type::f32) {
      if (!raw.empty()) std::memcpy(out.data(), raw.data(), raw.size());
      return;
    }
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = to_float(entry.type, raw.data() + i * width);
  }

  /// `read` for weights: a NaN or infinity is refused.
  void read_finite(std::string_view name, std::span<const std::size_t> shape, std::span<float> out) const {
    read(name, shape, out);
    for (std::size_t i = 0; i < out.size(); ++i) {
      if (std::isfinite(out[i])) continue;
      throw file_error{path_ + ": tensor \"" + std::string{name} + "\" holds " + std::to_string(out[i]) + " at element " +
                       std::to_string(i) + ", expected finite numbers"};
    }
  }

  /// Refuses tensors other than the expected ones.
  void expect_only(const std::set<std::string, std::less<>>& names) const {
    for (const tensor_entry& entry : header_.entries) {
      if (!names.contains(entry.name)) throw file_error{path_ + ": unexpected tensor \"" + entry.name + "\""};
    }
  }

 private:
  [[nodiscard]] const tensor_entry* find(std::string_view name) const {
    const auto found = header_.index.find(name);
    return found == header_.index.end() ? nullptr : &header_.entries[found->second];
  }

  std::string path_;
  mapped_file file_;
  safetensors_header header_;
};

/// One tensor to write: floats, stored as `stored`.
struct output_tensor {
  std::string name;
  std::vector<std::size_t> shape;
  std::span<const float> values;
  element_type stored = element_type::f32;
};

/// Writes the tensors in the given order, atomically: the file is there whole, or what was there before is.
/// Errors: `invalid_argument` for a name used twice, a size that is not the shape's, an integer type, a finite value that the
/// type cannot hold, or text that is not UTF-8.
inline void write_safetensors(const std::filesystem::path& path, std::span<const output_tensor> tensors,
                              const std::map<std::string, std::string>& metadata = {}) {
  nlohmann::ordered_json header = nlohmann::ordered_json::object();
  if (!metadata.empty()) header["__metadata__"] = metadata;
  std::size_t offset = 0;
  for (const output_tensor& t : tensors) {
    const auto complain = [&](const std::string& what) { throw invalid_argument{"tensor \"" + t.name + "\" " + what}; };
    if (t.name == "__metadata__" || header.contains(t.name)) complain("cannot be written: the name is taken");
    std::size_t elements = 1;
    for (const std::size_t extent : t.shape) elements *= extent;
    if (elements != t.values.size()) {
      complain("has " + std::to_string(t.values.size()) + " values, expected shape " + shape_text(t.shape));
    }
    if (!is_floating(t.stored))
      complain("cannot be written as " + std::string{name_of(t.stored)} + ", expected a floating type");
    const std::size_t end = offset + elements * size_of(t.stored);
    header[t.name] = {{"dtype", name_of(t.stored)}, {"shape", t.shape}, {"data_offsets", {offset, end}}};
    offset = end;
  }
  std::string text;
  try {
    text = header.dump();
  } catch (const nlohmann::json::exception& e) {
    throw invalid_argument{path.string() + ": a name or metadata is not UTF-8: " + e.what()};
  }
  text.append((8 - text.size() % 8) % 8, ' ');  // tensors start aligned, so that others may map them as they are
  if (text.size() > safetensors_header_limit) {
    throw invalid_argument{path.string() + ": header of " + std::to_string(text.size()) + " bytes, expected at most " +
                           std::to_string(safetensors_header_limit)};
  }

  atomic_file file{path};
  const std::uint64_t length = text.size();
  file.write(std::as_bytes(std::span{&length, 1}));
  file.write(std::as_bytes(std::span{text}));
  std::vector<std::byte> converted;
  for (const output_tensor& t : tensors) {
    if (t.stored == element_type::f32) {
      file.write(std::as_bytes(t.values));
      continue;
    }
    const std::size_t width = size_of(t.stored);
    converted.resize(t.values.size() * width);
    for (std::size_t i = 0; i < t.values.size(); ++i) {
      std::byte* const place = converted.data() + i * width;
      from_float(t.stored, t.values[i], place);
      if (std::isfinite(t.values[i]) && !std::isfinite(to_float(t.stored, place))) {
        throw invalid_argument{"tensor \"" + t.name + "\" holds " + std::to_string(t.values[i]) + ", too large for " +
                               std::string{name_of(t.stored)}};
      }
    }
    file.write(converted);
  }
  file.commit();
}

}  // namespace lacuna::io
