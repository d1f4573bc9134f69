#include "lacuna/nn/config.hpp"

#include <string>

#include <doctest/doctest.h>

#include "small_networks.hpp"

namespace {

using namespace lacuna;

template <class Change>
std::string message(const Change& change) {
  nn::transformer_config c = small_networks::with_relation();
  change(c);
  try {
    nn::check(c);
  } catch (const invalid_argument& e) {
    return e.what();
  }
  return "";
}

using config = nn::transformer_config;

}  // namespace

TEST_CASE("the small configurations are sound") {
  for (const small_networks::named_config& small : small_networks::all()) CHECK_NOTHROW(nn::check(small.config));
}

TEST_CASE("what does not fit is named with got and expected") {
  CHECK(message([](config& c) { c.vocabulary = 0; }) == "transformer_config: vocabulary is 0, expected at least 1");
  CHECK(message([](config& c) { c.depth = 0; }) == "transformer_config: depth is 0, expected at least 1");
  CHECK(message([](config& c) { c.depth = 65537; }) == "transformer_config: depth is 65537, expected at most 65536");
  CHECK(message([](config& c) {
          c.features.clear();
          c.max_length = std::size_t{1} << 32U;  // the square of which is 0 in 64 bits
          c.relation->ids.clear();
        }) == "transformer_config: max_length is 4294967296, expected at most 65536 with a relation");
  CHECK(message([](config& c) { c.distinct_blocks = 3; }) ==
        "transformer_config: distinct_blocks is 3, expected at most the depth, 2");
  CHECK(message([](config& c) { c.heads = 0; }) == "transformer_config: heads is 0, expected at least 1");
  CHECK(message([](config& c) { c.heads = 5; }) == "transformer_config: width 24 is not a multiple of heads 5");
  CHECK(message([](config& c) {
          c.heads = 24;
          c.relation->initial.clear();
          c.positions = nn::positions::rotary;
        }) == "transformer_config: width / heads is 1, expected an even number for rotary positions");
  CHECK(message([](config& c) { c.mask_token = 7; }) == "transformer_config: mask_token is 7, expected 0..6");
  CHECK(message([](config& c) { c.mask_token = -1; }) == "transformer_config: mask_token is -1, expected 0..6");
  CHECK(message([](config& c) { c.forbidden_tokens = {1, 9}; }) == "transformer_config: forbidden_tokens is 9, expected 0..6");
  CHECK(message([](config& c) { c.end_token = 70; }) == "transformer_config: end_token is 70, expected 0..6");
  CHECK(message([](config& c) { c.features[1].ids.pop_back(); }) ==
        "transformer_config: feature 'parity' has 20 ids, expected 21");
  CHECK(message([](config& c) { c.features[1].ids[3] = 2; }) ==
        "transformer_config: feature 'parity' has the id 2, expected less than its count 2");
  CHECK(message([](config& c) { c.features[0].name = ""; }) == "transformer_config: a feature has no name");
  CHECK(message([](config& c) { c.features[0].name = "parity"; }) == "transformer_config: two embeddings are called 'parity'");
  CHECK(message([](config& c) { c.features[0].name = "token"; }) == "transformer_config: two embeddings are called 'token'");
  CHECK(message([](config& c) { c.relation->ids.pop_back(); }) == "transformer_config: relation has 440 ids, expected 441");
  CHECK(message([](config& c) { c.relation->count = 2; }) ==
        "transformer_config: relation has the id 2, expected less than its count 2");
  CHECK(message([](config& c) { c.relation->initial.pop_back(); }) ==
        "transformer_config: relation has 8 initial values, expected heads x count = 9");
  CHECK(message([](config& c) { c.norm_epsilon = 0; }).find("norm_epsilon") != std::string::npos);
  CHECK(message([](config& c) { c.rotary_base = 1; }).find("rotary_base") != std::string::npos);
}
