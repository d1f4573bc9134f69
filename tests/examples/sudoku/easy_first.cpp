#include "../../../examples/sudoku/easy_first.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "../../../examples/sudoku/puzzle_pool.hpp"

namespace {

using namespace sudoku;

lacuna::random_stream stream(std::uint64_t row) { return {3, lacuna::stream_use::other, row}; }

/// Does the digit of some blank follow at once: is it the only one that fits the cell, or the cell the only one in a unit that
/// it fits? By trying, one cell at a time.
bool has_single(const grid& g) {
  const auto fits = [&](std::size_t cell, std::int8_t digit) {
    grid tried = g;
    tried[cell] = digit;
    return g[cell] == blank && is_consistent(tried);
  };
  for (std::size_t cell = 0; cell < cell_count; ++cell) {
    std::size_t candidates = 0;
    for (std::int8_t digit = 1; digit <= 9; ++digit) candidates += fits(cell, digit) ? 1U : 0U;
    if (candidates == 1) return true;
  }
  for (const auto& unit : units) {
    for (std::int8_t digit = 1; digit <= 9; ++digit) {
      if (std::count_if(unit.begin(), unit.end(), [&](std::size_t cell) { return fits(cell, digit); }) == 1) return true;
    }
  }
  return false;
}

TEST_CASE("an order holds each blank once, and a guess is due exactly where no single is left") {
  std::size_t guesses = 0;
  for (const solved_puzzle& p : generate_pool(8, 4, {})) {
    auto random = stream(0);
    const easy_first_order order = easy_first(p.givens, p.solution, random);
    std::set<std::size_t> cells(order.cells.begin(), order.cells.end());
    CHECK(order.cells.size() == count_blanks(p.givens));
    CHECK(cells.size() == order.cells.size());
    grid g = p.givens;
    for (std::size_t k = 0; k < order.cells.size(); ++k) {
      CHECK(g[order.cells[k]] == blank);
      const bool due = std::find(order.guesses.begin(), order.guesses.end(), k) != order.guesses.end();
      CHECK(due == !has_single(g));
      g[order.cells[k]] = p.solution[order.cells[k]];
    }
    CHECK(g == p.solution);
    guesses += order.guesses.size();
  }
  CHECK(guesses > 0);
}

TEST_CASE("a puzzle that singles solve needs no guess, and orders are random") {
  const grid puzzle = from_line("53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79");
  solver<> s;
  REQUIRE(s.count(puzzle, 2) == 1);
  auto first = stream(1), second = stream(2);
  const easy_first_order a = easy_first(puzzle, s.solution(), first);
  const easy_first_order b = easy_first(puzzle, s.solution(), second);
  CHECK(a.guesses.empty());
  CHECK(b.guesses.empty());
  CHECK(a.cells != b.cells);
}

TEST_CASE("a full grid has nothing to order") {
  const auto pool = generate_pool(1, 1, {});
  auto random = stream(0);
  const easy_first_order order = easy_first(pool[0].solution, pool[0].solution, random);
  CHECK(order.cells.empty());
  CHECK(order.guesses.empty());
}

}  // namespace
