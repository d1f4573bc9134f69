#include "lacuna/io/element_type.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

namespace io = lacuna::io;

namespace {
constexpr float infinity = std::numeric_limits<float>::infinity();

/// A half as its definition says: sign, 5 bits of exponent with bias 15, 10 bits of fraction.
double half_by_definition(std::uint16_t h) {
  const int exponent = (h >> 10) & 31;
  const double fraction = h & 1023;
  const double magnitude = exponent == 31  ? (fraction == 0 ? HUGE_VAL : NAN)
                           : exponent == 0 ? std::ldexp(fraction, -24)
                                           : std::ldexp(1024 + fraction, exponent - 25);
  return (h & 0x8000) != 0 ? -magnitude : magnitude;
}
}  // namespace

TEST_CASE("every half reads as its definition says and is written back as itself") {
  for (std::uint32_t bits = 0; bits < 65536; ++bits) {
    const auto h = static_cast<std::uint16_t>(bits);
    const double expected = half_by_definition(h);
    const float x = io::half_to_float(h);
    if (std::isnan(expected)) {
      REQUIRE(std::isnan(x));
      REQUIRE(std::isnan(io::half_to_float(io::float_to_half(x))));
      continue;
    }
    REQUIRE(static_cast<double>(x) == expected);
    REQUIRE(io::float_to_half(x) == h);
  }
}

TEST_CASE("a float between two halves goes to the nearer one, and to the even one from the middle") {
  for (std::uint16_t h = 0; h < 0x7bff; ++h) {
    const float low = io::half_to_float(h);
    const float high = io::half_to_float(static_cast<std::uint16_t>(h + 1));
    const float middle = low + (high - low) / 2;  // exact: a float has 13 bits more
    const auto even = static_cast<std::uint16_t>(h % 2 == 0 ? h : h + 1);
    REQUIRE(io::float_to_half(middle) == even);
    REQUIRE(io::float_to_half(std::nextafter(middle, 0.0F)) == h);
    REQUIRE(io::float_to_half(std::nextafter(middle, infinity)) == h + 1);
    REQUIRE(io::float_to_half(-std::nextafter(middle, infinity)) == (h + 1) + 0x8000);
  }
}

TEST_CASE("what is too large for a half is infinite, from the rounding point on") {
  CHECK(io::float_to_half(65504.0F) == 0x7bff);
  CHECK(io::float_to_half(std::nextafter(65520.0F, 0.0F)) == 0x7bff);
  CHECK(io::float_to_half(65520.0F) == 0x7c00);
  CHECK(io::float_to_half(-1e30F) == 0xfc00);
  CHECK(io::float_to_half(infinity) == 0x7c00);
  CHECK(io::float_to_half(std::numeric_limits<float>::denorm_min()) == 0);
}

TEST_CASE("bfloat16 is the upper half of a float, rounded to even") {
  for (std::uint32_t bits = 0; bits < 65536; ++bits) {
    const auto b = static_cast<std::uint16_t>(bits);
    const float x = io::bfloat16_to_float(b);
    REQUIRE(std::bit_cast<std::uint32_t>(x) == bits << 16);
    if (!std::isnan(x)) REQUIRE(io::float_to_bfloat16(x) == b);
  }
  CHECK(io::float_to_bfloat16(std::bit_cast<float>(0x3f808000u)) == 0x3f80);  // a middle, down to even
  CHECK(io::float_to_bfloat16(std::bit_cast<float>(0x3f818000u)) == 0x3f82);  // a middle, up to even
  CHECK(io::float_to_bfloat16(std::bit_cast<float>(0x3f808001u)) == 0x3f81);
  CHECK(io::float_to_bfloat16(std::numeric_limits<float>::max()) == 0x7f80);
  CHECK(std::isnan(io::bfloat16_to_float(io::float_to_bfloat16(std::bit_cast<float>(0x7f800001u)))));
}

TEST_CASE("element types are found by the name they carry") {
  for (int i = 0; i <= static_cast<int>(io::element_type::u64); ++i) {
    const auto type = static_cast<io::element_type>(i);
    REQUIRE(io::element_type_named(io::name_of(type)).has_value());
    CHECK(*io::element_type_named(io::name_of(type)) == type);
  }
  CHECK(io::name_of(io::element_type::bf16) == "BF16");
  CHECK(io::size_of(io::element_type::bf16) == 2);
  CHECK(io::size_of(io::element_type::f64) == 8);
  CHECK(io::size_of(io::element_type::boolean) == 1);
  CHECK_FALSE(io::element_type_named("F4").has_value());
  CHECK_FALSE(io::element_type_named("f32").has_value());
}
