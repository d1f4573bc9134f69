#include "../../../examples/sudoku/bench.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "fixtures.hpp"

namespace {

using namespace sudoku;
using namespace sudoku_test;

pair_estimator no_estimator(const std::string&, const model&) { throw lacuna::file_error("asked for an estimator"); }

TEST_CASE("a sampler is measured once, and its first puzzles are those of a measurement of fewer") {
  const std::vector<puzzle> puzzles = some_puzzles(4);
  std::size_t calls = 0;
  model inner = scrambled();
  model m{[&](const lacuna::token_batch& x, std::span<const std::size_t> wanted, lacuna::row_sink sink) {
    ++calls;
    inner(x, wanted, sink);
  }};
  estimator_slot slot{"none", no_estimator};
  results_file results{"", {}};
  bench b{m, puzzles, slot, results, {0, 64}};
  const measurement all = b.measure("threshold:tau=0.5", 100);
  CHECK(all.size() == 4);
  CHECK(all.sampler == "threshold:tau=0.5,rank=confidence");
  const std::size_t before = calls;
  CHECK(b.measure("threshold:rank=confidence,tau=0.5", 2).passes == std::vector<double>{all.passes[0], all.passes[1]});
  CHECK(calls == before);

  results_file other{"", {}};
  bench again{m, puzzles, slot, other, {0, 64}};
  CHECK(again.measure("threshold:tau=0.5", 2).passes == b.measure("threshold:tau=0.5", 2).passes);
  CHECK(calls > before);
}

TEST_CASE("an entropy bound is found that takes as many passes") {
  const std::vector<puzzle> puzzles = some_puzzles(4);
  model m = scrambled();
  estimator_slot slot{"none", no_estimator};
  results_file results{"", {}};
  bench b{m, puzzles, slot, results, {0, 64}};
  for (const char* text : {"top_k:k=3", "entropy_bound:gamma=4"}) {
    const measurement aim = b.measure(text, 4);
    const std::string found = entropy_bound_with_passes_of(b, aim, 0, 4);
    CHECK(found.starts_with("entropy_bound:gamma="));
    CHECK(std::abs(mean(b.measure(found, 4).passes) / mean(aim.passes) - 1) < 0.1);
  }
  CHECK(entropy_bound_with_passes_of(b, b.measure("top_k:k=3,temperature=1", 4), 1, 4).ends_with(",temperature=1"));
}

}  // namespace
