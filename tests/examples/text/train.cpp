#include "../../../examples/text/train.hpp"

#include "../../../examples/text/normalise.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "fixtures.hpp"

namespace {

using namespace text_test;
using lacuna_test::scratch_file;

const std::string novel =
    "It was the best of times, it was the worst of times, it was the age of wisdom, it was the age of foolishness.";

/// A short run of a tiny network; `other` options instead of these or beside them.
ran train(const std::filesystem::path& folder, const std::map<std::string, std::string>& other = {}) {
  std::map<std::string, std::string> options{{"--text", "-"},    {"--out", (folder / "net.safetensors").string()},
                                             {"--length", "12"}, {"--width", "8"},
                                             {"--heads", "2"},   {"--depth", "2"},
                                             {"--batch", "4"},   {"--steps", "6"}};
  for (const auto& [name, value] : other) options[name] = value;
  std::vector<std::string> all{"train"};
  for (const auto& [name, value] : options) {
    all.push_back(name);
    all.push_back(value);
  }
  return run(all, novel);
}

std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream in{path, std::ios::binary};
  return {std::istreambuf_iterator<char>{in}, {}};
}

}  // namespace

TEST_CASE("networks of both kinds are trained, measured and can be written with; the same command, the same weights") {
  for (const std::string kind : {"masked", "hybrid"}) {
    const scratch_file place{"net"}, held_out{"other.txt", novel}, curve{"curve.csv"};
    const std::map<std::string, std::string> options{
        {"--kind", kind}, {"--validation", held_out.path().string()}, {"--curve", curve.path().string()}, {"--dtype", "bf16"}};
    const ran r = train(place.folder(), options);
    REQUIRE(r.code == 0);
    CHECK(r.err.find(std::to_string(text::normalised(novel).size()) + " symbols of text") != std::string::npos);
    CHECK(r.err.find("validation: ") != std::string::npos);
    CHECK((r.err.find("targets") != std::string::npos) == (kind == "hybrid"));
    CHECK(curve.get().starts_with("minutes,steps,symbols,loss,validation,targets\n"));
    const std::string file = (place.folder() / "net.safetensors").string();
    const std::string once = bytes_of(file);
    CHECK(train(place.folder(), options).code == 0);
    CHECK(bytes_of(file) == once);
    const ran g = run({"generate", kind == "masked" ? "--masked" : "--weights", file, "--count", "2", "--sampler",
                       kind == "masked" ? "ancestral:steps=3" : "speculative"});
    CHECK(g.code == 0);
    CHECK(g.out.size() == 2 * 13);
  }
}

TEST_CASE("causal blocks are trained on a masked network that stays as it is, and write with it") {
  const scratch_file place{"net"}, held_out{"other.txt", novel};
  const std::string masked = (place.folder() / "masked.safetensors").string();
  const std::string causal = (place.folder() / "causal.safetensors").string();
  REQUIRE(train(place.folder(), {{"--kind", "masked"}, {"--out", masked}, {"--dtype", "bf16"}}).code == 0);
  const std::string before = bytes_of(masked);
  const std::map<std::string, std::string> onto{
      {"--kind", "causal"}, {"--from", masked}, {"--out", causal}, {"--validation", held_out.path().string()}};
  const ran r = train(place.folder(), onto);
  REQUIRE(r.code == 0);
  CHECK(r.err.find("targets") != std::string::npos);
  CHECK(bytes_of(masked) == before);
  CHECK(std::filesystem::file_size(causal) < 8 * std::filesystem::file_size(masked));
  const ran g = run({"generate", "--masked", masked, "--causal", causal, "--count", "2", "--sampler", "speculative:on=causal"});
  CHECK(g.code == 0);
  CHECK(g.out.size() == 2 * 13);
  CHECK(train(place.folder(), {{"--kind", "causal"}}).err.find("needs --from") != std::string::npos);
  CHECK(train(place.folder(), {{"--kind", "hybrid"}, {"--from", masked}}).err.find("goes with --kind causal alone") !=
        std::string::npos);
  CHECK(train(place.folder(), {{"--kind", "causal"}, {"--from", causal}}).code == 1);  // no whole network
}

TEST_CASE("a text run that was interrupted ends with the weights of one that was not") {
  const scratch_file place{"net"}, other{"other"};
  REQUIRE(train(place.folder()).code == 0);
  const std::string checkpoint = (other.folder() / "run.checkpoint").string();
  REQUIRE(train(other.folder(), {{"--checkpoint", checkpoint}, {"--steps", "3"}}).code == 0);
  // the schedule is that of the whole run, so the half of it is made by another number of steps: only the end is compared
  std::filesystem::remove(checkpoint);
  REQUIRE(train(other.folder(), {{"--checkpoint", checkpoint}}).code == 0);
  CHECK(bytes_of(other.folder() / "net.safetensors") == bytes_of(place.folder() / "net.safetensors"));
  REQUIRE(train(other.folder(), {{"--checkpoint", checkpoint}}).code == 0);  // nothing left to do
  CHECK(bytes_of(other.folder() / "net.safetensors") == bytes_of(place.folder() / "net.safetensors"));
  CHECK(train(other.folder(), {{"--checkpoint", checkpoint}, {"--width", "12"}}).code == 1);  // of another network
}

TEST_CASE("what text train cannot do is told before it begins") {
  const scratch_file place{"net"};
  CHECK(train(place.folder(), {{"--length", "200"}}).code == 1);  // a shorter text
  CHECK(train(place.folder(), {{"--kind", "hybrid"}, {"--causal", "2"}}).code == 2);
  CHECK(train(place.folder(), {{"--kind", "magic"}}).code == 2);
  CHECK(train(place.folder(), {{"--width", "9"}}).code != 0);  // no multiple of the heads
  CHECK(train(place.folder(), {{"--out", "no/such/net"}}).code == 1);
  CHECK(train(place.folder(), {{"--steps", "0"}}).code == 2);
  CHECK_FALSE(std::filesystem::exists(place.folder() / "net.safetensors"));
  CHECK(run({"train", "--text", "-"}, novel).code == 2);  // neither steps nor minutes
}
