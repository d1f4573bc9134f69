#include "lacuna/nn/pair_metadata.hpp"

#include <map>
#include <string>

#include <doctest/doctest.h>

#include "small_networks.hpp"

namespace {

using namespace lacuna;
using map = std::map<std::string, std::string>;

nn::contextual_config contextual() {
  nn::contextual_config c;
  c.hidden = 17;
  c.rank = 5;
  c.blocks = small_networks::with_relation();
  c.blocks.features.clear();
  c.blocks.norm_epsilon = 1.1e-6F;
  return c;
}
const nn::hadamard_config hadamard{384, 128, 1.1e-6F};

template <class F>
std::string message(const F& f) {
  try {
    f();
  } catch (const invalid_argument& e) {
    return e.what();
  }
  return "";
}

}  // namespace

TEST_CASE("the shape of a head on pairs comes back from its metadata as it was") {
  CHECK(nn::hadamard_from_metadata(nn::to_metadata(hadamard)) == hadamard);
  CHECK(nn::contextual_from_metadata(nn::to_metadata(contextual())) == contextual());
  nn::contextual_config c = contextual();
  c.blocks.relation.reset();
  CHECK(nn::contextual_from_metadata(nn::to_metadata(c)) == c);
  CHECK(nn::pair_head_kind(nn::to_metadata(hadamard)) == "hadamard");
  CHECK(nn::pair_head_kind(nn::to_metadata(contextual())) == "contextual");
}

TEST_CASE("other metadata may be there too") {
  map m = nn::to_metadata(contextual());
  m["made by"] = "a test";
  CHECK(nn::contextual_from_metadata(m) == contextual());
}

TEST_CASE("metadata of no head, or of an unknown one, are refused") {
  CHECK(message([] { nn::pair_head_kind({}); }) == "metadata: 'pairs.head' is missing, expected those of a head on pairs");
  CHECK(message([] {
          nn::pair_head_kind({{"pairs.head", "bilinear"}});
        }) == "metadata: 'pairs.head' is 'bilinear', expected hadamard or contextual");
}

TEST_CASE("one head is not read from the metadata of another") {
  CHECK(message([] { nn::hadamard_from_metadata(nn::to_metadata(contextual())); }) ==
        "metadata: 'pairs.head' is 'contextual', expected hadamard");
  CHECK(message([] { nn::contextual_from_metadata(nn::to_metadata(hadamard)); }) ==
        "metadata: 'pairs.head' is 'hadamard', expected contextual");
}

TEST_CASE("a key that is missing or no number is named") {
  for (const std::string key : {"pairs.hidden", "pairs.width", "pairs.norm_epsilon"}) {
    map m = nn::to_metadata(hadamard);
    m.erase(key);
    CHECK(message([&] { nn::hadamard_from_metadata(m); }) == "metadata: '" + key + "' is missing");
    for (const std::string nonsense : {"", "many", "-1x", "12 "}) {
      m[key] = nonsense;
      CHECK(message([&] { nn::hadamard_from_metadata(m); }) ==
            "metadata: '" + key + "' has '" + nonsense + "', expected a number");
    }
  }
  for (const std::string key : {"pairs.hidden", "pairs.rank", "transformer.width"}) {
    map m = nn::to_metadata(contextual());
    m.erase(key);
    CHECK(message([&] { nn::contextual_from_metadata(m); }).find(key) != std::string::npos);
    m[key] = "-3";
    CHECK(message([&] { nn::contextual_from_metadata(m); }).find("'-3', expected a number") != std::string::npos);
  }
}

TEST_CASE("numbers that make no head are refused") {
  map m = nn::to_metadata(hadamard);
  m["pairs.width"] = "0";
  CHECK(message([&] { nn::hadamard_from_metadata(m); }).find("width is 0") != std::string::npos);
  for (const char* bad : {"nan", "inf", "-1", "0"}) {
    m = nn::to_metadata(hadamard);
    m["pairs.norm_epsilon"] = bad;
    CHECK(message([&] { nn::hadamard_from_metadata(m); }).find("norm_epsilon is") != std::string::npos);
  }
  m = nn::to_metadata(contextual());
  m["pairs.rank"] = "0";
  CHECK(message([&] { nn::contextual_from_metadata(m); }).find("rank is 0") != std::string::npos);
  m = nn::to_metadata(contextual());
  m["transformer.depth"] = "0";
  CHECK(message([&] { nn::contextual_from_metadata(m); }).find("depth is 0") != std::string::npos);
}
