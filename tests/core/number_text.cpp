#include "lacuna/core/number_text.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

#include "lacuna/core/random.hpp"

using namespace lacuna;

namespace {

template <class Number>
bool comes_back(Number value) {
  Number read{};
  return read_number(number_text(value), read) && read == value;
}

}  // namespace

TEST_CASE("numbers are written with the fewest digits") {
  CHECK(number_text(0.1) == "0.1");
  CHECK(number_text(0.1F) == "0.1");
  CHECK(number_text(1e300) == "1e+300");
  CHECK(number_text(std::size_t{18446744073709551615U}) == "18446744073709551615");
  CHECK(number_text(-7) == "-7");
}

TEST_CASE("numbers of any size read back as they were") {
  random_stream rng(1, stream_use::other);
  for (int i = 0; i < 2000; ++i) {
    const double x = std::ldexp(rng.uniform() - 0.5, static_cast<int>(rng.below(2000)) - 1000);
    REQUIRE(comes_back(x));
    REQUIRE(comes_back(static_cast<float>(rng.uniform())));
    REQUIRE(comes_back(rng.bits()));
  }
  CHECK(comes_back(std::numeric_limits<double>::denorm_min()));
  CHECK(comes_back(std::numeric_limits<float>::max()));
  CHECK(comes_back(std::numeric_limits<std::int32_t>::min()));
}

TEST_CASE("what is no number, more than a number, or too large is not read") {
  std::size_t whole = 0;
  for (const char* text : {"", "x", "12x", " 12", "12 ", "-1", "1.5", "18446744073709551616"})
    CHECK_FALSE(read_number(text, whole));
  double real = 0;
  for (const char* text : {"", "1,5", "1.5.", "+1", "1e999"}) CHECK_FALSE(read_number(text, real));
  CHECK(read_number("1.5", real));
  CHECK(real == 1.5);
}
