/// @file
/// @brief Reads and writes NumPy's .npy files.
///
/// Written by xtensor's `dump_npy`, atomically. Read here: xtensor's reader (0.24) takes a truncated file for a whole one,
/// allocates what a header asks for before looking at the file, and depends on the order of the header's keys. Reading copies
/// the data once, by mapping.
/// Errors: `file_error` naming the file, with got and expected: not an .npy file, malformed, another element type, another
/// number of dimensions, column-major, big-endian, truncated, bytes left over.
/// @code
/// lacuna::io::write_npy("logits.npy", logits);
/// const auto logits = lacuna::io::read_npy<float, 3>("logits.npy");
/// @endcode
#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <vector>

#include "lacuna/core/errors.hpp"
#include "lacuna/core/shape_text.hpp"
#include "lacuna/core/tensor.hpp"
#include "lacuna/io/atomic_file.hpp"
#include "lacuna/io/mapped_file.hpp"
#include "lacuna/io/shape.hpp"

#if __has_include(<xtensor/io/xnpy.hpp>)
#include <xtensor/io/xnpy.hpp>
#else
#include <xtensor/xnpy.hpp>
#endif

namespace lacuna::io {

namespace detail {

/// NumPy's name of an element type: "<f4".
template <class T>
std::string npy_type() {
  static_assert(std::is_arithmetic_v<T> && !std::is_same_v<T, bool>, "any byte but 0 and 1 is no bool");
  const char kind = std::is_floating_point_v<T> ? 'f' : std::is_signed_v<T> ? 'i' : 'u';
  return std::string{sizeof(T) == 1 ? '|' : '<'} + kind + std::to_string(sizeof(T));
}

/// Reads the header, a Python dictionary of a string, a bool and a tuple of integers, and nothing else.
class npy_header_reader {
 public:
  npy_header_reader(std::string_view text, const std::string& file) : text_{text}, file_{file} {
    expect('{');
    while (!take('}')) {
      const std::string key = quoted();
      expect(':');
      if (key == "descr" && type.empty()) {
        type = quoted();
      } else if (key == "fortran_order" && !order_known_) {
        order_known_ = true;
        column_major = boolean();
      } else if (key == "shape" && !shape_known_) {
        shape_known_ = true;
        tuple();
      } else {
        fail("key '" + key + "' is unknown or appears twice");
      }
      if (!take(',')) {
        expect('}');
        break;
      }
    }
    skip_spaces();
    if (!text_.empty()) fail("text after the dictionary");
    if (type.empty() || !order_known_ || !shape_known_) fail("descr, fortran_order or shape is missing");
  }

  std::string type;
  bool column_major = false;
  std::vector<std::size_t> shape;

 private:
  [[noreturn]] void fail(const std::string& what) const { throw file_error{file_ + ": malformed .npy header: " + what}; }
  void skip_spaces() {
    while (!text_.empty() && (text_[0] == ' ' || text_[0] == '\n')) text_.remove_prefix(1);
  }
  bool take(char c) {
    skip_spaces();
    if (!text_.starts_with(c)) return false;
    text_.remove_prefix(1);
    return true;
  }
  void expect(char c) {
    if (!take(c)) fail(std::string{"expected '"} + c + "'");
  }
  std::string quoted() {
    skip_spaces();
    if (text_.empty() || (text_[0] != '\'' && text_[0] != '"')) fail("expected a string");
    const std::size_t end = text_.find(text_[0], 1);
    if (end == std::string_view::npos) fail("a string without an end");
    std::string value{text_.substr(1, end - 1)};
    text_.remove_prefix(end + 1);
    return value;
  }
  bool boolean() {
    skip_spaces();
    for (const std::string_view word : {std::string_view{"False"}, std::string_view{"True"}}) {
      if (!text_.starts_with(word)) continue;
      text_.remove_prefix(word.size());
      return word == "True";
    }
    fail("expected True or False");
  }
  void tuple() {
    expect('(');
    while (!take(')')) {
      skip_spaces();
      std::size_t extent = 0;
      const auto [end, status] = std::from_chars(text_.data(), text_.data() + text_.size(), extent);
      if (status != std::errc{}) fail("expected an extent");
      text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
      shape.push_back(extent);
      if (!take(',')) {
        expect(')');
        break;
      }
    }
  }

  std::string_view text_;
  const std::string& file_;
  bool order_known_ = false;
  bool shape_known_ = false;
};

}  // namespace detail

/// Writes a row-major tensor, or any xtensor expression.
template <class E>
void write_npy(const std::filesystem::path& path, const xt::xexpression<E>& values) {
  const std::string text = xt::dump_npy(values);
  atomic_file file{path};
  file.write(std::as_bytes(std::span{text}));
  file.commit();
}

/// Reads a tensor of exactly this element type and number of dimensions.
template <class T, std::size_t Rank>
tensor<T, Rank> read_npy(const std::filesystem::path& path) {
  const std::string name = path.string();
  const mapped_file file{path};
  const std::span<const std::byte> bytes = file.bytes();
  const auto byte = [&](std::size_t i) { return std::to_integer<std::size_t>(bytes[i]); };

  if (bytes.size() < 10 || std::memcmp(bytes.data(), "\x93NUMPY", 6) != 0) throw file_error{name + ": not an .npy file"};
  const std::size_t version = byte(6);
  if (version < 1 || version > 3) {
    throw file_error{name + ": .npy version " + std::to_string(version) + ", expected 1, 2 or 3"};
  }
  const std::size_t begin = version == 1 ? 10 : 12;
  if (bytes.size() < begin) throw file_error{name + ": truncated: " + std::to_string(bytes.size()) + " bytes"};
  const std::size_t length =
      version == 1 ? byte(8) + (byte(9) << 8) : byte(8) + (byte(9) << 8) + (byte(10) << 16) + (byte(11) << 24);
  if (length > bytes.size() - begin) {
    throw file_error{name + ": truncated: header of " + std::to_string(length) + " bytes, but only " +
                     std::to_string(bytes.size() - begin) + " follow"};
  }
  const detail::npy_header_reader header{{reinterpret_cast<const char*>(bytes.data()) + begin, length}, name};
  if (header.type != detail::npy_type<T>()) {
    throw file_error{name + ": element type \"" + header.type + "\", expected \"" + detail::npy_type<T>() + "\""};
  }
  if (header.shape.size() != Rank) {
    throw file_error{name + ": shape " + shape_text(header.shape) + ", expected " + std::to_string(Rank) + " dimensions"};
  }
  if (header.column_major && Rank > 1) throw file_error{name + ": column-major order, expected row-major"};

  std::size_t elements = 0, size = 0;
  const bool fits = detail::checked_product(header.shape, elements) &&
                    detail::checked_product(std::array<std::size_t, 2>{elements, sizeof(T)}, size);
  const std::size_t found = bytes.size() - begin - length;
  if (!fits || found != size) {
    throw file_error{name + ": " + std::to_string(found) + " bytes of data, expected " +
                     (fits ? std::to_string(size) : std::string{"more than fits into memory"}) + " for shape " +
                     shape_text(header.shape)};
  }
  std::array<std::size_t, Rank> shape{};
  std::copy(header.shape.begin(), header.shape.end(), shape.begin());
  tensor<T, Rank> values = tensor<T, Rank>::from_shape(shape);
  if (size != 0) std::memcpy(values.data(), bytes.data() + begin + length, size);
  return values;
}

}  // namespace lacuna::io
