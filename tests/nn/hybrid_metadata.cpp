#include "lacuna/nn/hybrid_metadata.hpp"

#include <map>
#include <string>

#include <doctest/doctest.h>

#include "small_hybrids.hpp"

namespace {

using namespace lacuna;

std::string complaint(const std::map<std::string, std::string>& metadata) {
  try {
    nn::hybrid_from_metadata(metadata);
  } catch (const invalid_argument& e) {
    return e.what();
  }
  return {};
}

}  // namespace

TEST_CASE("a hybrid configuration comes back from metadata as it was, whatever the options") {
  for (const small_hybrids::named_config& small : small_hybrids::all()) {
    CAPTURE(small.name);
    CHECK(nn::hybrid_from_metadata(nn::to_metadata(small.config)) == small.config);
  }
}

TEST_CASE("the trunk of hybrid metadata can be read by itself") {
  const nn::hybrid_config c = small_hybrids::learned();
  CHECK(nn::from_metadata(nn::to_metadata(c)) == c.trunk);
}

TEST_CASE("hybrid metadata that are missing or wrong are refused by the name of their key") {
  const nn::hybrid_config c = small_hybrids::learned();
  CHECK(complaint(nn::to_metadata(c.trunk)) ==
        "metadata: 'hybrid.causal_depth' is missing, expected those of a hybrid transformer");
  auto metadata = nn::to_metadata(c);
  metadata["hybrid.residual"] = "maybe";
  CHECK(complaint(metadata) == "metadata: 'hybrid.residual' is 'maybe', expected one of on, off");
  metadata = nn::to_metadata(c);
  metadata["hybrid.causal_depth"] = "two";
  CHECK(complaint(metadata) == "metadata: 'hybrid.causal_depth' has 'two', expected a number");
  metadata["hybrid.causal_depth"] = "0";
  CHECK(complaint(metadata) == "hybrid_config: causal_depth is 0, expected 1..65536");
}
