#include "lacuna/nn/metadata.hpp"

#include <map>
#include <string>

#include <doctest/doctest.h>

#include "small_networks.hpp"

namespace {

using namespace lacuna;

template <class Change>
std::string message(const Change& change) {
  auto metadata = nn::to_metadata(small_networks::with_relation());
  change(metadata);
  try {
    nn::from_metadata(metadata);
  } catch (const invalid_argument& e) {
    return e.what();
  }
  return "";
}

using map = std::map<std::string, std::string>;

}  // namespace

TEST_CASE("every configuration comes back from its metadata as it was") {
  for (const small_networks::named_config& small : small_networks::all()) {
    CAPTURE(small.name);
    nn::transformer_config c = small.config;
    c.forbidden_tokens = {1, 1, 3};
    c.end_token = 2;
    c.mask_token = 4;
    c.norm_epsilon = 1.1e-6F;
    c.rotary_base = 12345.678F;
    CHECK(nn::from_metadata(nn::to_metadata(c)) == c);
    CHECK(nn::from_metadata(nn::to_metadata(small.config)) == small.config);
  }
}

TEST_CASE("tables are short: runs of one id are counted") {
  const map metadata = nn::to_metadata(small_networks::with_relation());
  CHECK(metadata.at("transformer.feature.0.ids") == "0x3,1x3,2x3,3x3,4x3,5x3,6x3");
  CHECK(metadata.at("transformer.feature.1.name") == "parity");
  CHECK(metadata.at("transformer.relation.initial") == "0.5,0,-0.25,1,2,0x3,3");
}

TEST_CASE("activations go by their names") {
  nn::transformer_config c = small_networks::plain();
  const auto name = [&](nn::activation a) {
    c.activation = a;
    return nn::to_metadata(c).at("transformer.activation");
  };
  CHECK(name(nn::activation::gelu) == "gelu");
  CHECK(name(nn::activation::gelu_erf) == "gelu_erf");
  CHECK(name(nn::activation::swiglu) == "swiglu");
}

TEST_CASE("foreign keys are ignored") {
  CHECK(message([](map& m) { m["training.steps"] = "12"; }).empty());
}

TEST_CASE("lists cannot ask for all memory together, whatever sizes the metadata name") {
  const std::string most = std::to_string(nn::metadata_detail::most_listed);
  const auto with = [&](const std::string& key, const std::string& list) {
    return message([&](map& m) {
      m["transformer.vocabulary"] = m["transformer.max_length"] = "9000000000000000000";
      m["transformer." + key] = list;
    });
  };
  for (const char* key : {"forbidden_tokens", "feature.0.ids", "relation.ids"})
    CHECK(with(key, "0x4000000000").find("lists more than ") != std::string::npos);
  CHECK(with("forbidden_tokens", "0x4000000000") ==
        "metadata: 'transformer.forbidden_tokens' lists more than " + most + " numbers, the most expected");
  // the second of two lists gets what the first has left: 21 ids are listed before
  CHECK(with("feature.1.ids", "0x" + most) == "metadata: 'transformer.feature.1.ids' lists more than " +
                                                  std::to_string(nn::metadata_detail::most_listed - 21) +
                                                  " numbers, the most expected");
}

TEST_CASE("missing and damaged entries are named") {
  CHECK(message([](map& m) { m.erase("transformer.width"); }) == "metadata: the key 'transformer.width' is missing");
  CHECK(message([](map& m) { m["transformer.width"] = "24 "; }) ==
        "metadata: 'transformer.width' has '24 ', expected a number");
  CHECK(message([](map& m) { m["transformer.width"] = "-24"; }) ==
        "metadata: 'transformer.width' has '-24', expected a number");
  CHECK(message([](map& m) { m["transformer.norm"] = "batch"; }) ==
        "metadata: 'transformer.norm' is 'batch', expected one of layer, rms");
  CHECK(message([](map& m) { m["transformer.feature.0.ids"] += ","; }) ==
        "metadata: 'transformer.feature.0.ids' has '', expected a number");
  CHECK(message([](map& m) { m["transformer.feature.0.ids"] += ",1"; }) ==
        "metadata: 'transformer.feature.0.ids' lists more than 21 numbers, the most expected");
  CHECK(message([](map& m) { m["transformer.feature.0.ids"] = "0x99999999999"; }) ==
        "metadata: 'transformer.feature.0.ids' lists more than 21 numbers, the most expected");
  CHECK(message([](map& m) { m["transformer.feature.0.ids"] = "0x3"; }) ==
        "transformer_config: feature 'third' has 3 ids, expected 21");
  CHECK(message([](map& m) { m["transformer.features"] = "3"; }) ==
        "metadata: the key 'transformer.feature.2.name' is missing");
  CHECK(message([](map& m) { m["transformer.heads"] = "5"; }) == "transformer_config: width 24 is not a multiple of heads 5");
  CHECK(message([](map& m) { m["transformer.relation.initial"] = "0x99999999999"; }).find("lists more than") !=
        std::string::npos);
}
