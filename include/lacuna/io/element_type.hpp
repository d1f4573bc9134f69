/// @file
/// @brief The element types of a tensor file, their names and sizes, and their conversion to and from float.
///
/// Half and bfloat16 are converted by bit arithmetic, with round-to-nearest-even, subnormals, infinities and NaN kept, so that
/// a file means the same on every compiler. Cost: a few integer operations per element.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

namespace lacuna::io {

static_assert(std::endian::native == std::endian::little, "tensor files are little-endian and read in place");

/// The element types of the safetensors format.
enum class element_type : std::uint8_t { boolean, u8, i8, f8_e5m2, f8_e4m3, i16, u16, f16, bf16, i32, u32, f32, f64, i64, u64 };

namespace detail {
struct element_type_entry {
  element_type type;
  std::string_view name;
  std::size_t size;
};

inline constexpr std::array<element_type_entry, 15> element_types{{
    {element_type::boolean, "BOOL", 1},
    {element_type::u8, "U8", 1},
    {element_type::i8, "I8", 1},
    {element_type::f8_e5m2, "F8_E5M2", 1},
    {element_type::f8_e4m3, "F8_E4M3", 1},
    {element_type::i16, "I16", 2},
    {element_type::u16, "U16", 2},
    {element_type::f16, "F16", 2},
    {element_type::bf16, "BF16", 2},
    {element_type::i32, "I32", 4},
    {element_type::u32, "U32", 4},
    {element_type::f32, "F32", 4},
    {element_type::f64, "F64", 8},
    {element_type::i64, "I64", 8},
    {element_type::u64, "U64", 8},
}};
}  // namespace detail

/// The name that files use, "F32".
[[nodiscard]] constexpr std::string_view name_of(element_type type) {
  return detail::element_types[static_cast<std::size_t>(type)].name;
}

/// Bytes per element.
[[nodiscard]] constexpr std::size_t size_of(element_type type) {
  return detail::element_types[static_cast<std::size_t>(type)].size;
}

/// The type of that name, if there is one.
[[nodiscard]] constexpr std::optional<element_type> element_type_named(std::string_view name) {
  for (const auto& entry : detail::element_types) {
    if (entry.name == name) return entry.type;
  }
  return std::nullopt;
}

/// Whether `to_float` can read the type.
[[nodiscard]] constexpr bool is_floating(element_type type) {
  return type == element_type::f16 || type == element_type::bf16 || type == element_type::f32 || type == element_type::f64;
}

/// IEEE half precision to float, exactly.
[[nodiscard]] constexpr float half_to_float(std::uint16_t h) {
  const std::uint32_t sign = static_cast<std::uint32_t>(h & 0x8000u) << 16;
  const std::uint32_t exponent = (h >> 10) & 0x1fu;
  std::uint32_t fraction = h & 0x3ffu;
  if (exponent == 31) return std::bit_cast<float>(sign | 0x7f800000u | (fraction << 13));
  if (exponent != 0) return std::bit_cast<float>(sign | ((exponent + 112) << 23) | (fraction << 13));
  if (fraction == 0) return std::bit_cast<float>(sign);
  std::uint32_t shift = 0;
  while ((fraction & 0x400u) == 0) {
    fraction <<= 1;
    ++shift;
  }
  return std::bit_cast<float>(sign | ((113 - shift) << 23) | ((fraction & 0x3ffu) << 13));
}

/// Float to IEEE half precision, to the nearest, ties to even; too large becomes infinity, NaN stays NaN.
[[nodiscard]] constexpr std::uint16_t float_to_half(float x) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(x);
  const auto sign = static_cast<std::uint16_t>((bits >> 16) & 0x8000u);
  const std::uint32_t magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) return static_cast<std::uint16_t>(sign | 0x7e00u);
  if (magnitude >= 0x477ff000u) return static_cast<std::uint16_t>(sign | 0x7c00u);  // 65520 and more round to infinity
  if (magnitude < 0x33000000u) return sign;                                         // less than half of the least subnormal
  const std::uint32_t exponent = magnitude >> 23;
  // Bits to drop: 13 for a normal number; more the further a subnormal lies below 2^-14.
  const std::uint32_t dropped = exponent >= 113 ? 13 : 126 - exponent;
  const std::uint32_t significand = (magnitude & 0x7fffffu) | 0x800000u;
  std::uint32_t kept = significand >> dropped;
  const std::uint32_t rest = significand & ((1u << dropped) - 1);
  const std::uint32_t middle = 1u << (dropped - 1);
  if (rest > middle || (rest == middle && (kept & 1u) != 0)) ++kept;
  // The leading bit of a normal significand adds one to the exponent, hence 113 - 1; a carry moves on by itself.
  if (exponent >= 113) kept += (exponent - 113) << 10;
  return static_cast<std::uint16_t>(sign | kept);
}

/// bfloat16 (the upper half of a float) to float, exactly.
[[nodiscard]] constexpr float bfloat16_to_float(std::uint16_t b) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(b) << 16);
}

/// Float to bfloat16, to the nearest, ties to even; NaN stays NaN.
[[nodiscard]] constexpr std::uint16_t float_to_bfloat16(float x) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(x);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return static_cast<std::uint16_t>((bits >> 16) | 0x40u);
  return static_cast<std::uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

/// The element at `bytes`, which need not be aligned, as float. The type must be floating.
[[nodiscard]] inline float to_float(element_type type, const std::byte* bytes) {
  const auto load = [bytes](auto value) {
    std::memcpy(&value, bytes, sizeof value);
    return value;
  };
  switch (type) {
    case element_type::f16:
      return half_to_float(load(std::uint16_t{}));
    case element_type::bf16:
      return bfloat16_to_float(load(std::uint16_t{}));
    case element_type::f64:
      return static_cast<float>(load(double{}));
    default:
      return load(float{});
  }
}

/// Writes `value` at `bytes` as the given floating type.
inline void from_float(element_type type, float value, std::byte* bytes) {
  const auto store = [bytes](auto v) { std::memcpy(bytes, &v, sizeof v); };
  switch (type) {
    case element_type::f16:
      store(float_to_half(value));
      break;
    case element_type::bf16:
      store(float_to_bfloat16(value));
      break;
    case element_type::f64:
      store(static_cast<double>(value));
      break;
    default:
      store(value);
      break;
  }
}

}  // namespace lacuna::io
