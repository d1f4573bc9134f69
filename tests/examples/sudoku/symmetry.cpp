#include "../../../examples/sudoku/symmetry.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <set>
#include <unordered_set>

#include "../../../examples/sudoku/check.hpp"
#include "../../../examples/sudoku/generate.hpp"

namespace {

using namespace sudoku;

lacuna::random_stream stream(std::uint64_t row) { return {11, lacuna::stream_use::other, row}; }

grid grid_of(std::uint64_t row) {
  auto random = stream(row);
  return random_grid(random);
}

TEST_CASE("an image of a valid grid is valid, and an image of a puzzle has the image of the solution as its only one") {
  auto random = stream(0);
  const grid solution = random_grid(random);
  const grid puzzle = random_puzzle(solution, random);
  for (int k = 0; k < 50; ++k) {
    const symmetry image = random_symmetry(random);
    CHECK(is_valid(image(solution)));
    CHECK(count_blanks(image(puzzle)) == count_blanks(puzzle));
    solver<> s;
    CHECK(s.count(image(puzzle), 2) == 1);
    CHECK(s.solution() == image(solution));
  }
}

TEST_CASE("random symmetries move a cell everywhere and map a digit to every digit, equally often") {
  // 8100 symmetries: 100 expected a cell (standard deviation 9.9), 900 a digit (28.3); five deviations are allowed.
  auto random = stream(1);
  std::array<int, cell_count> from{};
  std::array<int, 10> digit{};
  for (int k = 0; k < 8100; ++k) {
    const symmetry s = random_symmetry(random);
    ++from[s.from[13]];
    ++digit[static_cast<std::size_t>(s.digit[4])];
    CHECK(s.digit[0] == blank);
  }
  for (const int n : from) CHECK((n > 50 && n < 150));
  for (std::size_t d = 1; d <= 9; ++d) CHECK((digit[d] > 758 && digit[d] < 1042));
}

TEST_CASE("random symmetries preserve which cells share a unit") {
  auto random = stream(2);
  for (int k = 0; k < 20; ++k) {
    const symmetry s = random_symmetry(random);
    for (const auto& unit : units) {
      std::set<std::size_t> source;
      for (const std::size_t cell : unit) source.insert(s.from[cell]);
      CHECK(std::any_of(units.begin(), units.end(),
                        [&](const auto& other) { return std::set<std::size_t>(other.begin(), other.end()) == source; }));
    }
  }
}

TEST_CASE("a grid and its images have one signature") {
  auto random = stream(3);
  for (std::uint64_t row = 0; row < 40; ++row) {
    const grid g = grid_of(100 + row);
    for (int k = 0; k < 25; ++k) CHECK(signature(random_symmetry(random)(g)) == signature(g));
  }
}

TEST_CASE("each kind of symmetry alone keeps the signature") {
  const grid g = grid_of(5);
  symmetry identity{};
  for (std::size_t d = 0; d < 10; ++d) identity.digit[d] = static_cast<std::int8_t>(d);
  for (std::size_t cell = 0; cell < cell_count; ++cell) identity.from[cell] = static_cast<std::uint8_t>(cell);
  REQUIRE(identity(g) == g);

  symmetry digits = identity, rows = identity, bands = identity, columns = identity, stacks = identity, transposed = identity;
  std::swap(digits.digit[2], digits.digit[7]);
  for (std::size_t cell = 0; cell < cell_count; ++cell) {
    const std::size_t r = row_of(cell), c = column_of(cell);
    const auto swapped = [](std::size_t line) { return line == 3 ? std::size_t{5} : line == 5 ? std::size_t{3} : line; };
    rows.from[cell] = static_cast<std::uint8_t>(9 * swapped(r) + c);
    bands.from[cell] = static_cast<std::uint8_t>(9 * ((r + 3) % 9) + c);
    columns.from[cell] = static_cast<std::uint8_t>(9 * r + swapped(c));
    stacks.from[cell] = static_cast<std::uint8_t>(9 * r + (c + 6) % 9);
    transposed.from[cell] = static_cast<std::uint8_t>(9 * c + r);
  }
  for (const symmetry& s : {digits, rows, bands, columns, stacks, transposed}) {
    CHECK(s(g) != g);
    CHECK(is_valid(s(g)));
    CHECK(signature(s(g)) == signature(g));
  }
}

TEST_CASE("grids that are unrelated have different signatures") {
  // There are 5 472 730 538 grids up to symmetry: among 2000 random ones two related ones are met with probability 4e-4.
  std::unordered_set<std::uint64_t> seen;
  for (std::uint64_t row = 0; row < 2000; ++row) seen.insert(signature(grid_of(10000 + row)));
  CHECK(seen.size() == 2000);
}

TEST_CASE("exchanging digits in a rectangle gives another valid grid with another signature") {
  // Two rows of one band that hold the digits a, b and b, a in two columns: exchanging them keeps the grid valid.
  int found = 0;
  for (std::uint64_t row = 0; row < 50; ++row) {
    const grid g = grid_of(20000 + row);
    for (std::size_t a = 0; a < 9; ++a) {
      for (std::size_t b = a + 1; b < 9; ++b) {
        if (g[a] != g[9 + b] || g[b] != g[9 + a]) continue;
        grid other = g;
        std::swap(other[a], other[9 + a]);
        std::swap(other[b], other[9 + b]);
        if (!is_valid(other)) continue;
        ++found;
        CHECK(signature(other) != signature(g));
      }
    }
  }
  CHECK(found > 5);
}

}  // namespace
