#include "../../../examples/sudoku/samplers.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "../../../examples/sudoku/check.hpp"
#include "../../../examples/sudoku/decode_puzzles.hpp"
#include "../../../examples/sudoku/estimator_slot.hpp"
#include "fixtures.hpp"

namespace {

using namespace sudoku;
using namespace sudoku_test;

bool remasks(const std::string& name) { return name.starts_with("remdm_") || name == "p2"; }

decoded_puzzles decoded(const std::string& sampler, std::span<const puzzle> puzzles, lacuna::decode_options options = {3, 64}) {
  model m = scrambled();
  return decode_puzzles(m, make_sampler(sampler), puzzles, options);
}

/// Passes for a grid of 81 blanks.
double passes(const std::string& sampler) {
  const std::vector<puzzle> empty(1);
  return decoded(sampler, empty).passes.front();
}

std::string refusal(const std::string& sampler) {
  try {
    make_sampler(sampler);
  } catch (const lacuna::invalid_argument& e) {
    return e.what();
  }
  return "accepted";
}

TEST_CASE("every sampler fills every blank with a digit, keeps the givens, and takes at most a pass a blank, or its steps") {
  const std::vector<puzzle> puzzles = some_puzzles(3);
  for (const std::string& name : sampler_names())
    for (const std::string& text : {name, name + ":temperature=1"}) {
      CAPTURE(text);
      const decoded_puzzles d = decoded(text, puzzles);
      for (std::size_t k = 0; k < puzzles.size(); ++k) {
        CHECK(count_blanks(d.grids[k]) == 0);
        CHECK(std::all_of(d.grids[k].begin(), d.grids[k].end(), [](std::int8_t digit) { return digit >= 1 && digit <= 9; }));
        CHECK(keeps_givens(puzzles[k].givens, d.grids[k]));
        CHECK(d.passes[k] >= 1);
        const auto blanks = static_cast<double>(count_blanks(puzzles[k].givens));
        if (name == "punt")  // ⌈log₂ n⌉ tests for n blanks count as passes
          CHECK(d.passes[k] <= blanks * (1 + std::ceil(std::log2(blanks))));
        else
          CHECK(d.passes[k] <= (remasks(name) ? 64.0 : blanks));
      }
    }
}

TEST_CASE("every sampler's grids are the same for every batch size and every order of the puzzles") {
  const std::vector<puzzle> puzzles = some_puzzles(3);
  std::vector<puzzle> reversed(puzzles.rbegin(), puzzles.rend());
  for (const std::string& name : sampler_names()) {
    const std::string text = name + ":temperature=0.7";
    CAPTURE(text);
    const decoded_puzzles together = decoded(text, puzzles);
    CHECK(decoded(text, puzzles, {3, 1}).grids == together.grids);
    CHECK(decoded(text, puzzles, {3, 2}).grids == together.grids);
    decoded_puzzles backwards = decoded(text, reversed);
    std::reverse(backwards.grids.begin(), backwards.grids.end());
    CHECK(backwards.grids == together.grids);
    CHECK(decoded(text, puzzles, {4, 64}).grids != together.grids);
  }
}

TEST_CASE("every sampler's text is a spec of the same sampler, and every sampler is in the list") {
  const std::string list = list_samplers();
  const std::vector<std::string> names = sampler_names();
  CHECK(std::set<std::string>(names.begin(), names.end()).size() == names.size());
  for (const std::string& name : names) {
    CHECK(make_sampler(make_sampler(name).text()).text() == make_sampler(name).text());
    CHECK(("\n" + list).find("\n" + name + ":") != std::string::npos);
  }
  CHECK(make_sampler("top_k:temperature=0.5,k=8").text() == "top_k:rank=confidence,k=8,temperature=0.5");
}

TEST_CASE("parameters do what they say, as the number of passes shows") {
  for (const auto& [name, expected] : std::vector<std::pair<std::string, double>>{
           {"sequential", 81},
           {"sequential:rank=margin", 81},
           {"lookahead:width=1", 81},
           {"top_k:k=4", 21},
           {"top_k:k=81", 1},
           {"top_k:steps=9", 9},
           {"top_k:steps=9,pace=cosine", 9},
           {"maskgit:steps=7", 7},
           {"random:k=9", 9},
           {"random:steps=5,pace=cosine", 5},
           {"ancestral:steps=1", 1},
           {"threshold:tau=2", 81},
           {"threshold:tau=0", 1},
           {"threshold:tau=-10,rank=entropy", 1},
           {"factor:f=1e9", 1},
           {"factor:f=1e-9", 81},
           {"entropy_bound:gamma=0", 81},
           {"entropy_bound:gamma=1e9", 1},
           {"left_to_right:k=2", 41},
           {"blocks:size=27,k=9", 9},
           {"blocks:size=10,k=10", 9},
           {"dilated:block=81,base=9", 2},
           {"klass:tau=0,epsilon=0,history=0", 1},
           {"klass:tau=1", 81},
           {"remdm_cap:steps=12,eta=0.5", 12},
           {"remdm_rescale:steps=13,curve=cosine", 13},
           {"remdm_confidence:steps=14", 14},
           {"remdm_loop:steps=15", 15},
           {"p2:steps=16,curve=cosine", 16},
           {"mi_guided:gamma=0", 81},
           {"mi_guided:gamma=1e9,lambda=0", 1},
           {"mi_guided:gamma=1e9,lambda=0,budget=threshold,mi=exact", 1},
           {"mi_guided:gamma=0.01,budget=running_entropy", 81},
           {"dependence_bound:lambda=0", 1},
           {"punt:epsilon=0", 81 + 440},  // Σ ⌈log₂ n⌉ tests
           {"punt:epsilon=1e9", 8},
       }) {
    const std::string& text = name;  // a structured binding cannot be captured with clang 14
    CAPTURE(text);
    CHECK(passes(text) == expected);
  }
}

TEST_CASE("ranks, curves and draws differ") {
  const std::vector<puzzle> empty(1);
  for (const std::vector<std::string>& different : {
           std::vector<std::string>{"sequential:rank=entropy", "sequential:rank=confidence", "sequential:rank=margin",
                                    "sequential:temperature=1"},
           {"top_k:steps=9", "top_k:steps=9,pace=cosine"},
           {"ancestral:curve=linear", "ancestral:curve=cosine"},
           {"remdm_cap:eta=0", "remdm_cap:eta=0.9", "remdm_rescale:eta=0.9", "remdm_confidence", "remdm_loop:eta=0.9"},
           {"p2:eta=0", "p2:eta=1"},
       })
    for (std::size_t a = 0; a < different.size(); ++a)
      for (std::size_t b = 0; b < a; ++b) {
        CAPTURE(different[a]);
        CAPTURE(different[b]);
        CHECK(decoded(different[a], empty).grids != decoded(different[b], empty).grids);
      }
}

/// What reads information: nothing is shared, or as much as can be.
pair_estimator constant_information(double nats) {
  return pair_estimator{
      [nats](const lacuna::step_view&, std::span<const std::size_t>, std::span<double> out) { std::ranges::fill(out, nats); }};
}

TEST_CASE("a trained estimator guides where it is loaded, and its time is counted") {
  const std::vector<puzzle> empty(1);
  const auto decoded_by = [&](const std::string& sampler, double nats) {
    model m = with_hidden_states(scrambled());
    estimator_slot slot{"some-mi.safetensors", [&](const std::string& file, const model& network) {
                          CHECK(file == "some-mi.safetensors");
                          CHECK(network.hidden_size() == 96);
                          return constant_information(nats);
                        }};
    const named_sampler s = make_sampler(sampler, &slot);
    CHECK(slot.wanted());
    CHECK_FALSE(slot.filled());
    slot.fill(with_hidden_states(scrambled()));
    return decode_puzzles(m, s, empty);
  };
  const decoded_puzzles apart = decoded_by("dependence_bound:mi=neural", 100);
  CHECK(apart.passes.front() == 81);
  CHECK(apart.probe_rows.front() == 0);
  CHECK(apart.estimator_seconds > 0);
  CHECK(apart.network_seconds > 0);
  CHECK(apart.network_seconds + apart.estimator_seconds < apart.seconds);
  CHECK(decoded_by("dependence_bound:mi=neural", 0).passes.front() == 1);
  CHECK(decoded_by("mi_guided:gamma=1000,mi=neural", 0).passes.front() == 1);
  CHECK(decoded_by("mi_guided:gamma=2.5,mi=neural", 100).passes.front() == 81);
}

TEST_CASE("a sampler for a trained estimator is refused where there is none, and needs it loaded") {
  CHECK(refusal("mi_guided:mi=neural") ==
        "sampler mi_guided: mi=neural, expected exact or pruned: there is no trained estimator here");
  estimator_slot slot{"none", [](const std::string&, const model&) { return constant_information(0); }};
  make_sampler("mi_guided", &slot);
  CHECK_FALSE(slot.wanted());
  slot.fill(with_hidden_states(scrambled()));
  CHECK_FALSE(slot.filled());
  const named_sampler s = make_sampler("mi_guided:gamma=1000,mi=neural", &slot);
  const std::vector<puzzle> empty(1);
  model m = with_hidden_states(scrambled());
  CHECK_THROWS_AS(decode_puzzles(m, s, empty), lacuna::model_error);
  CHECK(estimator_beside("a/best.safetensors") == "a/best-mi.safetensors");
  CHECK(estimator_beside("a/best") == "a/best-mi.safetensors");
}

TEST_CASE("probes are told apart from passes, except where they are the passes of a rule") {
  const std::vector<puzzle> empty(1);
  const decoded_puzzles guided = decoded("dependence_bound:gamma=0.05", empty);
  CHECK(guided.passes.front() <= 81);
  CHECK(guided.probe_calls.front() >= 1);
  CHECK(guided.probe_rows.front() > 81);
  const decoded_puzzles without = decoded("dependence_bound:gamma=0.05,lambda=0", empty);
  CHECK(without.probe_rows.front() == 0);
  const decoded_puzzles tests = decoded("punt", empty);
  CHECK(tests.probe_calls.front() > 0);
  CHECK(tests.passes.front() > tests.probe_calls.front());
  const decoded_puzzles in_rounds = decoded("dependence_bound:gamma=0.05,rounds=8", empty);
  CHECK(in_rounds.grids == guided.grids);
  CHECK(in_rounds.probe_rows.front() < guided.probe_rows.front());
  CHECK(decoded("mi_guided:gamma=3,mi=exact", empty).grids == decoded("mi_guided:gamma=3,epsilon=0", empty).grids);
}

TEST_CASE("lookahead fills in what sequential does, with fewer passes and with grids beside them") {
  const std::vector<puzzle> puzzles = some_puzzles(3);
  for (const char* parameters : {":rank=margin", ":temperature=0.5", ":rank=confidence,temperature=1"}) {
    CAPTURE(parameters);
    const decoded_puzzles one = decoded("sequential" + std::string(parameters), puzzles);
    const decoded_puzzles ahead = decoded("lookahead" + std::string(parameters), puzzles);
    CHECK(ahead.grids == one.grids);
    for (std::size_t k = 0; k < puzzles.size(); ++k) {
      CHECK(ahead.passes[k] <= one.passes[k]);
      CHECK(ahead.probe_rows[k] > ahead.passes[k]);  // scrambled changes its mind all the time
      CHECK(ahead.probe_calls[k] == 0);
    }
  }
  model sure = oracle(puzzles);
  const decoded_puzzles d = decode_puzzles(sure, make_sampler("lookahead:width=5"), puzzles);
  for (std::size_t k = 0; k < puzzles.size(); ++k) {
    const std::size_t blanks = count_blanks(puzzles[k].givens);
    CHECK(d.solved_each[k]);
    CHECK(d.passes[k] == static_cast<double>(1 + (blanks - 1 + 4) / 5));
    CHECK(d.passes[k] + d.probe_rows[k] == static_cast<double>(blanks));
  }
}

TEST_CASE("a wrong name, parameter or value is refused, with what was got and what is expected") {
  CHECK(refusal("topk") ==
        "sampler \"topk\": no sampler of that name, expected one of sequential, lookahead, top_k, maskgit, random, ancestral, "
        "threshold, "
        "factor, entropy_bound, left_to_right, blocks, dilated, klass, remdm_cap, remdm_rescale, remdm_confidence, remdm_loop, "
        "p2, mi_guided, dependence_bound, punt");
  CHECK(refusal("top_k:n=4") == "sampler top_k: unknown parameter \"n\", expected rank, k, temperature");
  CHECK(refusal("top_k:k=two") == "sampler top_k: k=two, expected a whole number");
  CHECK(refusal("top_k:k=-1") == "sampler top_k: k=-1, expected a whole number");
  CHECK(refusal("top_k:rank=best") == "sampler top_k: rank=best, expected one of entropy, confidence, margin");
  CHECK(refusal("top_k:k=4,steps=8") == "sampler top_k: k and steps are both given, expected one of them");
  CHECK(refusal("top_k:pace=cosine") == "sampler top_k: pace goes with steps=S, which is not given");
  CHECK(refusal("top_k:steps=8,pace=slow") == "sampler top_k: pace=slow, expected one of linear, cosine");
  CHECK(refusal("threshold:tau=nan") == "sampler threshold: tau=nan, expected a finite number");
  for (const char* text : {"top_k:k=0",
                           "lookahead:width=0",
                           "top_k:steps=0",
                           "maskgit:noise=-1",
                           "ancestral:steps=0",
                           "factor:f=-1",
                           "entropy_bound:gamma=-1",
                           "left_to_right:k=0",
                           "blocks:size=0",
                           "dilated:base=1",
                           "dilated:block=0",
                           "klass:tau=2",
                           "klass:epsilon=-1",
                           "remdm_cap:eta=2",
                           "remdm_rescale:eta=-1",
                           "remdm_confidence:eta=1.5",
                           "remdm_loop:t_on=0",
                           "remdm_loop:plateau=1",
                           "p2:eta=-1",
                           "sequential:temperature=-1",
                           "mi_guided:gamma=-1",
                           "mi_guided:lambda=-1",
                           "mi_guided:rounds=0",
                           "mi_guided:mi=none",
                           "mi_guided:budget=none",
                           "mi_guided:epsilon=1",
                           "dependence_bound:gamma=-1",
                           "dependence_bound:rounds=0",
                           "punt:epsilon=-1"}) {
    const std::string name = std::string(text).substr(0, std::string(text).find(':'));
    const std::string message = refusal(text);
    CAPTURE(message);
    CHECK(message.starts_with("sampler " + name + ": "));
    CHECK(message.find("expected") != std::string::npos);
  }
}

}  // namespace
