#include "../../../examples/text/corpus.hpp"

#include <doctest/doctest.h>

#include <set>
#include <sstream>

#include "../../io/scratch_file.hpp"

using namespace text;

TEST_CASE("a text is read from a file or standard input, normalised; too short a one is refused") {
  std::istringstream in{"Some Text."};
  CHECK(read_text("-", in, 1) == "some text");
  const lacuna_test::scratch_file file{"novel", "Call me Ishmael."};
  CHECK(read_text(file.path().string(), in, 15) == "call me ishmael");
  CHECK_THROWS_WITH_AS(read_text(file.path().string(), in, 16),
                       (file.path().string() + ": 15 symbols, expected at least 16").c_str(), lacuna::file_error);
  CHECK_THROWS_AS(read_text("no/such/file", in, 1), lacuna::file_error);
}

TEST_CASE("rows lie inside the text: spread ones from its begin to its end, random ones anywhere") {
  const std::string symbols = "abcdefghij";
  CHECK(string_of(spread_row(symbols, 4, 0, 3)) == "abcd");
  CHECK(string_of(spread_row(symbols, 4, 1, 3)) == "defg");
  CHECK(string_of(spread_row(symbols, 4, 2, 3)) == "ghij");
  CHECK(string_of(spread_row(symbols, 4, 0, 1)) == "abcd");
  CHECK(string_of(spread_row(symbols, 10, 1, 2)) == symbols);
  lacuna::random_stream random{1, lacuna::stream_use::other};
  std::set<std::string> seen;
  for (int k = 0; k < 300; ++k) seen.insert(string_of(random_row(symbols, 8, random)));
  CHECK(seen == std::set<std::string>{"abcdefgh", "bcdefghi", "cdefghij"});
}
