#include "../../../examples/text/normalise.hpp"

#include <doctest/doctest.h>

#include "../../../examples/text/alphabet.hpp"
#include "lacuna/core/random.hpp"

TEST_CASE("capitals become small, digits are spelled, all else is one space and none at the ends") {
  CHECK(text::normalised("Hello, World!") == "hello world");
  CHECK(text::normalised("In 1984, 10%") == "in one nine eight four one zero");
  CHECK(text::normalised("a1b") == "a one b");
  CHECK(text::normalised("  don't\n\tpanic -- ") == "don t panic");
  CHECK(text::normalised("na\xc3\xafve") == "na ve");
  CHECK(text::normalised("").empty());
  CHECK(text::normalised(" \n .").empty());
}

TEST_CASE("what is normalised is so for good, of any bytes") {
  lacuna::random_stream random{3, lacuna::stream_use::other};
  for (int round = 0; round < 200; ++round) {
    std::string bytes;
    for (std::size_t k = random.below(60); k > 0; --k) bytes += static_cast<char>(random.below(256));
    const std::string once = text::normalised(bytes);
    CHECK(text::normalised(once) == once);
    CHECK(once.find("  ") == std::string::npos);
    for (const char c : once) CHECK(text::is_symbol(c));
  }
}
