#include "lacuna/problems/potts_lattice.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <vector>

#include "lacuna/core/row.hpp"
#include "lacuna/problems/joint_table.hpp"

using namespace lacuna;
using problems::conditionals;
using problems::joint_table;
using problems::potts_lattice;

TEST_CASE("the transfer matrix agrees with the sum over all grids") {
  const std::size_t rows = 3;
  const std::size_t columns = 2;
  const std::vector<double> field{0.3, 0, -0.4};
  const potts_lattice grid({.rows = rows, .columns = columns, .states = 3, .coupling = 0.6, .field = field});
  // Weights straight from the definition.
  joint_table shape(rows * columns, 3, std::vector<double>(729, 1.0));
  std::vector<double> weights;
  for (std::size_t k = 0; k < shape.size(); ++k) {
    const auto x = shape.assignment(k);
    double energy = 0;
    for (std::size_t r = 0; r < rows; ++r)
      for (std::size_t c = 0; c < columns; ++c) {
        const std::size_t i = r * columns + c;
        energy += field[static_cast<std::size_t>(x[i])];
        if (c + 1 < columns && x[i] == x[i + 1]) energy += 0.6;
        if (r + 1 < rows && x[i] == x[i + columns]) energy += 0.6;
      }
    weights.push_back(std::exp(energy));
  }
  const joint_table expected(rows * columns, 3, weights);
  for (std::size_t k = 0; k < expected.size(); k += 7)
    CHECK(std::exp(grid.log_probability(expected.assignment(k))) ==
          doctest::Approx(expected.probabilities()[k]).epsilon(1e-12));
  const token _ = grid.mask_token();
  const std::vector<token> row{_, 0, _, 2, 1, _};
  const tensor<double, 2> got = conditionals(grid, row);
  const tensor<double, 2> wanted = conditionals(expected, row);
  for (std::size_t i = 0; i < 6; ++i)
    for (std::size_t v = 0; v < 3; ++v) CHECK(got(i, v) == doctest::Approx(wanted(i, v)).epsilon(1e-12));
}

TEST_CASE("without coupling the positions are independent, with it neighbours agree, against it they differ") {
  const auto neighbour_agrees = [](double coupling) {
    const potts_lattice grid({.rows = 3, .columns = 3, .states = 2, .coupling = coupling});
    std::vector<token> row(9, grid.mask_token());
    row[4] = 1;
    return conditionals(grid, row)(1, 1);
  };
  CHECK(neighbour_agrees(0) == doctest::Approx(0.5));
  CHECK(neighbour_agrees(0.5) > 0.6);
  CHECK(neighbour_agrees(-0.5) < 0.4);
  CHECK(neighbour_agrees(-infinity) == 0);
}

TEST_CASE("two colours on a chessboard: one known square determines all others") {
  const potts_lattice grid({.rows = 4, .columns = 4, .states = 2, .coupling = -infinity});
  std::vector<token> row(16, grid.mask_token());
  row[0] = 0;
  const tensor<double, 2> p = conditionals(grid, row);
  for (std::size_t i = 1; i < 16; ++i) CHECK(p(i, (i / 4 + i % 4) % 2) == 1);
}

TEST_CASE("grids that cannot be computed are refused") {
  CHECK_THROWS_AS(potts_lattice({.rows = 0}), invalid_argument);
  CHECK_THROWS_AS(potts_lattice({.rows = 2, .columns = 13, .states = 2}), invalid_argument);
  CHECK_THROWS_AS(potts_lattice({.states = 3, .field = {1, 2}}), invalid_argument);
  CHECK_THROWS_AS(potts_lattice({.coupling = infinity}), invalid_argument);
  CHECK_THROWS_AS(potts_lattice({.states = 1, .coupling = -infinity}), invalid_argument);
}
