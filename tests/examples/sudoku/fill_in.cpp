#include "../../../examples/sudoku/fill_in.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <vector>

#include "../../../examples/sudoku/puzzle_pool.hpp"

namespace {

using namespace sudoku;

/// Knows the solution of every grid it sees, and is the surer of a cell the later it comes; `wrong_cell` it gets wrong.
struct oracle {
  std::size_t wrong_cell = cell_count;
  std::vector<std::size_t> rows_of_calls;

  [[nodiscard]] std::size_t vocabulary_size() const { return sudoku::vocabulary_size; }
  [[nodiscard]] lacuna::token mask_token() const { return blank; }
  void operator()(const lacuna::token_batch& x, std::span<const std::size_t> wanted, lacuna::row_sink sink) {
    rows_of_calls.push_back(x.shape()[0]);
    for (std::size_t k = 0; k < wanted.size(); ++k) {
      grid g{};
      for (std::size_t cell = 0; cell < cell_count; ++cell) g[cell] = static_cast<std::int8_t>(x(wanted[k] / cell_count, cell));
      solver<> s;
      s.count(g, 1);
      const std::size_t cell = wanted[k] % cell_count;
      std::vector<float> row(10, 0.0F);
      row[blank] = 100;  // must not be drawn
      const auto right = static_cast<std::size_t>(s.solution()[cell]);
      row[cell == wrong_cell ? right % 9 + 1 : right] = 1 + 0.1F * static_cast<float>(cell);
      sink(k, row);
    }
  }
};

std::vector<puzzle> puzzles() {
  std::vector<puzzle> all;
  for (const solved_puzzle& p : generate_pool(5, 2, {})) all.push_back({p.givens, p.solution});
  all[3].givens = *all[3].solution;  // nothing to do
  return all;
}

TEST_CASE("a model that knows the solutions solves everything, a cell of each puzzle a pass") {
  const auto all = puzzles();
  std::size_t most = 0;
  for (const puzzle& p : all) most = std::max(most, count_blanks(p.givens));
  oracle model;
  const std::vector<grid> grids = fill_in(model, all);
  for (std::size_t k = 0; k < all.size(); ++k) CHECK(grids[k] == *all[k].solution);
  CHECK(model.rows_of_calls.size() == most);
  CHECK(model.rows_of_calls.front() == 4);
  CHECK(count_solved(model, all) == 5);
}

TEST_CASE("the grids do not depend on how many go through the model at once") {
  const auto all = puzzles();
  oracle model;
  CHECK(fill_in(model, all, 2) == fill_in(model, all, 64));
}

TEST_CASE("a puzzle with one cell wrong is not counted as solved") {
  const auto all = puzzles();
  oracle model;
  model.wrong_cell = 0;  // filled in last: all the rest is right
  std::size_t expected = 0;
  for (const puzzle& p : all) expected += p.givens[0] != blank ? 1U : 0U;
  REQUIRE(expected < 5);
  CHECK(count_solved(model, all) == expected);
}

TEST_CASE("the surest cell goes first") {
  // The oracle is surest of the last blank: each pass fills that in and nothing else.
  const auto all = puzzles();
  struct recorder : oracle {
    std::vector<grid> seen;
    void operator()(const lacuna::token_batch& x, std::span<const std::size_t> wanted, lacuna::row_sink sink) {
      grid g{};
      for (std::size_t cell = 0; cell < cell_count; ++cell) g[cell] = static_cast<std::int8_t>(x(0, cell));
      seen.push_back(g);
      oracle::operator()(x, wanted, sink);
    }
  } model;
  fill_in(model, std::span{all}.first(1));
  for (std::size_t pass = 1; pass < model.seen.size(); ++pass) {
    std::size_t last = cell_count;
    for (std::size_t cell = 0; cell < cell_count; ++cell) last = model.seen[pass - 1][cell] == blank ? cell : last;
    grid expected = model.seen[pass - 1];
    expected[last] = (*all[0].solution)[last];
    CHECK(model.seen[pass] == expected);
  }
}

TEST_CASE("a model without a finite logit is an error") {
  struct broken : oracle {
    void operator()(const lacuna::token_batch&, std::span<const std::size_t> wanted, lacuna::row_sink sink) {
      const std::vector<float> row(10, std::numeric_limits<float>::quiet_NaN());
      for (std::size_t k = 0; k < wanted.size(); ++k) sink(k, row);
    }
  } model;
  CHECK_THROWS_AS(fill_in(model, puzzles()), lacuna::model_error);
}

}  // namespace
