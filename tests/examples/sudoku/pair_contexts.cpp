#include "../../../examples/sudoku/pair_contexts.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <vector>

#include "../../../examples/sudoku/check.hpp"
#include "fixtures.hpp"

namespace {

using namespace sudoku;
using namespace sudoku_test;

constexpr std::size_t generated = pair_contexts::boards * pair_contexts::stages;

std::vector<lacuna::canvas> chunk_of(std::size_t chunk, std::uint64_t seed = 5, const signature_set& excluded = {}) {
  model m = scrambled();
  pair_contexts contexts(m, seed, excluded);
  lacuna::random_stream random{seed, lacuna::stream_use::training, chunk, 0};
  return contexts(chunk, random);
}

grid shown(const lacuna::canvas& c) {
  grid g{};
  for (std::size_t cell = 0; cell < cell_count; ++cell) g[cell] = c.is_masked(cell) ? blank : static_cast<std::int8_t>(c[cell]);
  return g;
}

TEST_CASE("a chunk depends on seed, number and stream alone") {
  const auto third = chunk_of(3);
  REQUIRE(third.size() == pair_contexts::chunk_size);
  CHECK(chunk_of(3) == third);
  CHECK(chunk_of(4) != third);
  CHECK(chunk_of(3, 6) != third);
  model m = scrambled();
  pair_contexts contexts(m, 5, {});
  lacuna::random_stream other{9, lacuna::stream_use::training};
  CHECK(contexts(0, other) != third);
  lacuna::random_stream random{5, lacuna::stream_use::training, 3, 0};
  CHECK(contexts(3, random) == third);  // after another chunk
}

TEST_CASE("the last contexts are of puzzles of the pool, with 2 to 81 blanks") {
  std::size_t least = cell_count, most = 0;
  for (std::size_t chunk = 0; chunk < 4; ++chunk) {
    const auto contexts = chunk_of(chunk);
    for (std::size_t i = generated; i < contexts.size(); ++i) {
      const std::size_t blanks = contexts[i].count(lacuna::cell::masked);
      CHECK(blanks >= 2);
      least = std::min(least, blanks);
      most = std::max(most, blanks);
      CHECK(keeps_givens(shown(contexts[i]), pool_puzzle(5, chunk * pair_contexts::chunk_size + i, {}).solution));
    }
  }
  CHECK(least < 12);  // of 96: each fails once in 80 thousand
  CHECK(most > 71);
}

TEST_CASE("puzzles that are related to excluded ones are replaced, the others stay") {
  const solved_puzzle unwanted = pool_puzzle(5, 50, {});
  lacuna::random_stream random{1, lacuna::stream_use::other};
  const symmetry image = random_symmetry(random);
  const std::vector<puzzle> evaluation{{image(unwanted.givens), image(unwanted.solution)}};
  const signature_set excluded = signatures_of(evaluation);
  const auto free = chunk_of(0);
  const auto kept = chunk_of(0, 5, excluded);
  for (std::size_t i = 0; i < 50; ++i) CHECK(kept[i] == free[i]);
  CHECK(kept[50] != free[50]);
  const solved_puzzle other = pool_puzzle(5, 50, excluded);
  CHECK(keeps_givens(shown(kept[50]), other.solution));
  CHECK_FALSE(excluded.contains(signature(other.solution)));
}

TEST_CASE("the first contexts are stages of grids in the making: digits that stay, fewer and fewer blanks") {
  std::set<std::size_t> blanks_seen;
  for (std::size_t chunk = 0; chunk < 3; ++chunk) {
    const auto contexts = chunk_of(chunk);
    for (std::size_t board = 0; board < pair_contexts::boards; ++board) {
      const auto stages = std::span{contexts}.subspan(board * pair_contexts::stages, pair_contexts::stages);
      for (std::size_t k = 0; k < stages.size(); ++k) {
        blanks_seen.insert(stages[k].count(lacuna::cell::masked));
        for (std::size_t cell = 0; cell < cell_count; ++cell) {
          if (stages[k].is_masked(cell)) continue;
          CHECK(stages[k][cell] >= 1);
          CHECK(stages[k][cell] <= 9);
          if (k + 1 < stages.size()) CHECK((!stages[k + 1].is_masked(cell) && stages[k + 1][cell] == stages[k][cell]));
        }
      }
    }
  }
  CHECK(blanks_seen.size() > 40);  // of 82, in 120 stages
  CHECK(*blanks_seen.begin() < 10);
  CHECK(*blanks_seen.rbegin() > 70);
}

TEST_CASE("digits of grids in the making are drawn, not the likeliest ones") {
  // A model that knows nothing at all: the likeliest digit of ties would be 1.
  model m = model_of([](const grid&, std::size_t, auto& logits) { logits[blank] = -9; });
  pair_contexts contexts(m, 5, {});
  lacuna::random_stream random{5, lacuna::stream_use::training};
  std::set<lacuna::token> digits;
  const auto all = contexts(0, random);
  for (const lacuna::canvas& c : std::span{all}.first(generated))
    for (std::size_t cell = 0; cell < cell_count; ++cell)
      if (!c.is_masked(cell)) digits.insert(c[cell]);
  CHECK(digits == std::set<lacuna::token>{1, 2, 3, 4, 5, 6, 7, 8, 9});
}

}  // namespace
