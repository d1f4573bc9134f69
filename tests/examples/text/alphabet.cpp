#include "../../../examples/text/alphabet.hpp"

#include <doctest/doctest.h>

#include <string>

TEST_CASE("symbols are tokens and back, the mask is an underscore, anything else is refused by place") {
  const std::string all = " abcdefghijklmnopqrstuvwxyz";
  const std::vector<lacuna::token> tokens = text::tokens_of(all);
  REQUIRE(tokens.size() == text::symbol_count);
  for (std::size_t k = 0; k < tokens.size(); ++k) CHECK(tokens[k] == static_cast<lacuna::token>(k));
  CHECK(text::string_of(tokens) == all);
  CHECK(text::symbol_of(text::mask) == '_');
  CHECK_THROWS_WITH_AS(text::tokens_of("abC"), "text: character 2 has code 67, expected a to z or a space",
                       lacuna::invalid_argument);
}
