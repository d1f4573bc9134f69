#include "lacuna/likelihood/scored.hpp"

#include <doctest/doctest.h>

#include <vector>

using namespace lacuna;

TEST_CASE("what may not be generated is looked for where tokens are scored only") {
  model_facts facts;
  facts.vocabulary = 5;
  facts.forbidden = {1, 4};
  const std::vector<token> x{0, 1, 2, 4};
  CHECK(likelihood::may_be_generated(x, std::vector<std::size_t>{2, 0}, facts));
  CHECK_FALSE(likelihood::may_be_generated(x, std::vector<std::size_t>{0, 1}, facts));
  CHECK_FALSE(likelihood::may_be_generated(x, std::vector<std::size_t>{3}, facts));
}

TEST_CASE("positions from some on are all that follow, none if there are none") {
  CHECK(likelihood::positions_from(0, 3) == std::vector<std::size_t>{0, 1, 2});
  CHECK(likelihood::positions_from(2, 4) == std::vector<std::size_t>{2, 3});
  CHECK(likelihood::positions_from(4, 4).empty());
  CHECK(likelihood::positions_from(9, 4).empty());
}
