#include "../../../examples/text/table.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "../../../examples/text/table_plan.hpp"
#include "../../../examples/text/writers.hpp"
#include "fixtures.hpp"

namespace {

using namespace text_test;

std::vector<std::string> small_table(const files& f, const std::vector<std::string>& more = {}) {
  std::vector<std::string> all{"table",   "--weights", f.hybrid,    "--masked", f.masked,  "--causal", f.causal,
                               "--words", f.words,     "--samples", "6",        "--batch", "3"};
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

}  // namespace

TEST_CASE("the text table has a line for each sampler, as text, as JSON and as a picture, and goes on from what is there") {
  const files f;
  const lacuna_test::scratch_file results{"results.jsonl"}, picture{"picture.svg"};
  const ran r = run(small_table(f, {"--json", "--results", results.path().string(), "--picture", picture.path().string()}));
  REQUIRE(r.code == 0);
  std::istringstream lines{r.out};
  std::size_t count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    const auto json = nlohmann::json::parse(line);
    CHECK(json.at("samples") == 6);
    CHECK(json.at("nfe").get<double>() > 0);
    CHECK(json.at("nfe").get<double>() <= 12 * 2);
    CHECK(json.at("entropy").get<double>() > 2);
    CHECK(json.at("entropy").get<double>() < 3.3);
    CHECK(json.contains("spelling"));
    CHECK(json.at("seconds").get<double>() > 0);
  }
  CHECK(count == text::table_plan().size());
  std::set<std::string> families;
  for (const text::table_line& line : text::table_plan()) families.insert(line.family);
  for (const std::string& family : families) CHECK(picture.get().find(">" + family + "<") != std::string::npos);

  const std::string kept = results.get();
  results.put(kept.substr(0, kept.size() / 2));
  CHECK(run(small_table(f, {"--json", "--results", results.path().string()})).code == 0);
  CHECK(std::count(kept.begin(), kept.end(), '\n') == 2 * static_cast<std::ptrdiff_t>(count));
  const std::string again = results.get();
  CHECK(std::count(again.begin(), again.end(), '\n') == 2 * static_cast<std::ptrdiff_t>(count));
  const std::size_t whole = kept.rfind('\n', kept.size() / 2 - 1) + 1;  // what stayed of the half
  CHECK(whole > 0);
  CHECK((again.substr(0, whole) == kept.substr(0, whole)));

  results.put(kept);  // a row on one network is kept when another one is there or is not
  CHECK(run(small_table(f, {"--sampler", "ancestral:steps=8", "--results", results.path().string()})).code == 0);
  CHECK(results.get() == kept);

  results.put("my notes");
  CHECK(run(small_table(f, {"--results", results.path().string()})).code == 1);
  CHECK(results.get() == "my notes");

  const ran text = run(small_table(f, {"--sampler", "ancestral:steps=3", "--sampler", "speculative", "--dictionary", f.words}));
  CHECK(text.code == 0);
  CHECK(text.out.starts_with("6 texts of 12 symbols each."));
  CHECK(text.out.find("\nancestral:steps=3,temperature=1,grid=cosine,on=masked ") != std::string::npos);
  CHECK(text.out.find("in dictionary") != std::string::npos);
}

TEST_CASE("a network whose target is its draft writes in as few passes as its windows") {
  const files f;  // has learned nothing: every draft is accepted
  const ran r = run(small_table(
      f, {"--json", "--sampler", "speculative:window=none,n=1", "--sampler", "speculative:window=constant,k=4,n=3"}));
  REQUIRE(r.code == 0);
  std::istringstream lines{r.out};
  std::string line;
  std::getline(lines, line);
  CHECK(nlohmann::json::parse(line).at("nfe").get<double>() == doctest::Approx(1));  // one block drafts, one verifies
  std::getline(lines, line);
  CHECK(nlohmann::json::parse(line).at("nfe").get<double>() == doctest::Approx(3));
}

TEST_CASE("texts are the same however many are written together") {
  const files f;
  const text::networks all = text::load_networks({f.masked, f.hybrid, f.causal}, {"masked", "hybrid", "causal"}, 1);
  for (const char* name : {"ancestral:steps=5", "confidence:steps=5", "entropy_bound:gamma=3", "speculative:delta=0.2",
                           "speculative:order=confidence,window=linear,delta=0.3", "ancestral:steps=4,on=hybrid",
                           "speculative:delta=0.2,on=causal"}) {
    const text::writer w = text::make_writer(name);
    std::vector<lacuna::job> jobs;
    for (std::size_t k = 0; k < 4; ++k) jobs.push_back({lacuna::canvas::blank(12), k, lacuna::unlimited});
    const text::written together = w.write(all, jobs, {3, lacuna::unlimited}, {});
    for (std::size_t k = 0; k < 4; ++k) {
      const text::written alone = w.write(all, std::span{jobs}.subspan(k, 1), {3, lacuna::unlimited}, {});
      CHECK(alone.texts.front() == together.texts[k]);
      CHECK(alone.passes.front() == together.passes[k]);
    }
  }
}

TEST_CASE("wrong samplers, files and numbers are refused by what was got and expected") {
  const files f;
  const auto refused = [&](const std::string& sampler, const std::string& why) {
    const ran r = run(small_table(f, {"--sampler", sampler}));
    CHECK(r.code == 2);
    CHECK(r.err.find(why) != std::string::npos);
  };
  refused("magic", "no such name, expected one of speculative, ancestral");
  refused("ancestral:steps=0", "steps = 0, expected at least 1");
  refused("speculative:n=0", "expected at least 1");
  refused("speculative:window=cosine,k=3", "unknown parameter \"k\"");
  refused("speculative:delta=2", "delta");
  refused("speculative:on=masked", "on=masked, expected");
  CHECK(run({"table", "--samples", "0"}).code == 2);
  CHECK(run({"table", "--weights", f.masked, "--masked", f.masked, "--words", f.words}).code == 1);  // no hybrid network
  CHECK(run({"table", "--words", "no/such"}).code == 1);
  CHECK(run({"table", "--help"}).code == 0);
  CHECK(run({}).code == 2);
}

TEST_CASE("bits a symbol stand where an order does, and agree with the likelihood of one at a time") {
  const files f;
  const lacuna_test::scratch_file held_out{"other.txt", "so it goes and goes on and on for ever"};
  const ran r = run(small_table(f, {"--json", "--validation", held_out.path().string(), "--validation-rows", "3", "--sampler",
                                    "speculative:n=2,window=none", "--sampler", "speculative:order=left_to_right", "--sampler",
                                    "ancestral:steps=3", "--sampler", "speculative:order=confidence", "--sampler",
                                    "confidence:steps=3", "--sampler", "ancestral:steps=3,temperature=0.5"}));
  REQUIRE(r.code == 0);
  std::istringstream lines{r.out};
  std::vector<double> bits;
  for (std::string line; std::getline(lines, line);) {
    const auto json = nlohmann::json::parse(line);
    bits.push_back(json.contains("bits") ? json.at("bits").get<double>() : 0);
    if (json.contains("bits")) CHECK(json.at("bits_error").get<double>() > 0);
  }
  REQUIRE(bits.size() == 6);
  for (std::size_t k = 0; k < 3; ++k) {  // a network that has learned nothing knows little more than 27 symbols
    CHECK(bits[k] > 4.2);
    CHECK(bits[k] < 5.6);
  }
  for (std::size_t k = 3; k < 6; ++k) CHECK(bits[k] == 0);  // no order stands for these

  const text::networks all = text::load_networks({f.masked, f.hybrid, f.causal}, {"hybrid", "masked"}, 1);
  const std::vector<lacuna::token> x = text::tokens_of("so it goes a");
  const auto forward = text::make_writer("speculative:order=left_to_right,window=constant,k=1").likelihood(all, x, 0);
  double nats = 0;  // one at a time, by the drafts: this network's targets are no others
  for (std::size_t i = 0; i < x.size(); ++i) {
    std::vector<lacuna::token> seen(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(i));
    seen.resize(x.size(), text::mask);
    const std::array<std::size_t, 2> shape{1, x.size()};
    const auto logits = (*all.hybrid)(lacuna::view_as_tensor(std::as_const(seen).data(), shape));
    double total = 0;
    for (std::size_t v = 0; v < text::symbol_count; ++v) total += std::exp(static_cast<double>(logits(0, i, v)));
    nats += static_cast<double>(logits(0, i, static_cast<std::size_t>(x[i]))) - std::log(total);
  }
  CHECK(std::abs(forward.nats - nats) < 1e-4);
}

TEST_CASE("a causal part goes with the masked network that it was trained on, and with no other") {
  const files f, other;
  CHECK(run(small_table(f, {"--sampler", "speculative:on=causal"})).code == 0);
  std::vector<std::string> wrong = small_table(f, {"--sampler", "speculative:on=causal"});
  *(std::find(wrong.begin(), wrong.end(), "--causal") + 1) = f.hybrid;
  ran r = run(wrong);
  CHECK(r.code == 1);
  CHECK(r.err.find("no causal part that was trained on a masked network") != std::string::npos);
  const lacuna::nn::transformer_config config = text::network_config(tiny);
  const lacuna::nn::transformer another{config, 2};
  lacuna::train::save_weights(other.masked, another.parameters(), another.parameters().values(),
                              lacuna::nn::to_metadata(config));
  *(std::find(wrong.begin(), wrong.end(), "--causal") + 1) = f.causal;
  *(std::find(wrong.begin(), wrong.end(), "--masked") + 1) = other.masked;
  r = run(wrong);
  CHECK(r.code == 1);
  CHECK(r.err.find("trained on the masked network " + text::fingerprint_of(lacuna::nn::transformer{config, 1}.parameters())) !=
        std::string::npos);
}

TEST_CASE("generated texts keep what is given") {
  const files f;
  const ran r = run({"generate", "--weights", f.hybrid, "--count", "3", "--start", "once ___ upon"});
  CHECK(r.code == 2);  // longer than the network takes
  const ran s = run({"generate", "--weights", f.hybrid, "--count", "3", "--start", "on__ up"});
  REQUIRE(s.code == 0);
  std::istringstream lines{s.out};
  std::size_t count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    CHECK(line.size() == 12);
    CHECK(line.substr(0, 2) == "on");
    CHECK(line.substr(4, 3) == " up");
    CHECK(line.find('_') == std::string::npos);
  }
  CHECK(count == 3);
  CHECK(s.err.find(" passes a text") != std::string::npos);
  CHECK(run({"generate", "--weights", f.hybrid, "--start", "Once"}).code == 2);
  CHECK(run({"generate", "--weights", f.hybrid, "--length", "13"}).code == 2);
  CHECK(run({"generate", "--masked", f.masked, "--sampler", "ancestral:steps=2", "--length", "5"}).out.size() == 5 * 6);
}

TEST_CASE("words of a text are listed once, in order") {
  CHECK(run({"words", "--text", "-"}, "The cat, the 2 cats.").out == "cat\ncats\nthe\ntwo\n");
  CHECK(run({"words", "--text", "-"}, "...").code == 1);
}
