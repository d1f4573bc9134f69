#include "lacuna/nn/hybrid_config.hpp"

#include <string>

#include <doctest/doctest.h>

#include "small_hybrids.hpp"

namespace {

using namespace lacuna;

std::string complaint(const nn::hybrid_config& c) {
  try {
    nn::check(c);
  } catch (const invalid_argument& e) {
    return e.what();
  }
  return {};
}

}  // namespace

TEST_CASE("a hybrid configuration is refused for what its trunk or its causal depth lacks") {
  for (const small_hybrids::named_config& small : small_hybrids::all()) CHECK(complaint(small.config).empty());
  nn::hybrid_config c = small_hybrids::rotary();
  c.causal_depth = 0;
  CHECK(complaint(c) == "hybrid_config: causal_depth is 0, expected 1..65536");
  c.causal_depth = 65537;
  CHECK(complaint(c) == "hybrid_config: causal_depth is 65537, expected 1..65536");
  c = small_hybrids::rotary();
  c.trunk.depth = 0;
  CHECK(complaint(c) == "transformer_config: depth is 0, expected at least 1");
}

TEST_CASE("the causal blocks have the trunk's shape without its features, relation and shared blocks") {
  nn::hybrid_config c;
  c.trunk = small_networks::with_relation();
  c.trunk.distinct_blocks = 1;
  c.causal_depth = 3;
  nn::transformer_config expected = small_networks::plain();
  expected.depth = 3;
  CHECK(c.causal() == expected);
  CHECK(c.depth() == c.trunk.depth + 3);
}
