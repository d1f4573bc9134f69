#include "../../../examples/sudoku/training_set.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <set>
#include <vector>

namespace {

using namespace sudoku;

struct row {
  grid input{}, target{};
  std::vector<float> weights;
};

std::vector<row> rows_of(const lacuna::nn::example_batch& batch) {
  std::vector<row> rows(batch.offsets.size() - 1);
  for (std::size_t b = 0; b < rows.size(); ++b) {
    REQUIRE(batch.offsets[b + 1] - batch.offsets[b] == cell_count);
    for (std::size_t cell = 0; cell < cell_count; ++cell) {
      rows[b].input[cell] = static_cast<std::int8_t>(batch.inputs[batch.offsets[b] + cell]);
      rows[b].target[cell] = static_cast<std::int8_t>(batch.targets[batch.offsets[b] + cell]);
      rows[b].weights.push_back(batch.weights[batch.offsets[b] + cell]);
    }
  }
  return rows;
}

TEST_CASE("every row is a partly blanked valid grid with its loss on the blanks") {
  training_set examples(generate_pool(5, 1, {}), 9, 16);
  for (std::size_t step = 0; step < 20; ++step) {
    double total = 0;
    for (const row& r : rows_of(examples(step))) {
      CHECK(is_solved(r.input, r.target));
      CHECK(count_blanks(r.input) >= 1);
      for (std::size_t cell = 0; cell < cell_count; ++cell) {
        CHECK((r.input[cell] == blank) == (r.weights[cell] > 0));
        total += static_cast<double>(r.weights[cell]);
      }
    }
    CHECK(total == doctest::Approx(1).epsilon(1e-4));
  }
}

TEST_CASE("rows made of puzzles have one solution however many blanks are left, rows from the empty grid need not") {
  training_set puzzles(generate_pool(5, 1, {}), 9, 100, {.empty_grids = 0, .whole_puzzles = 0.1});
  for (const row& r : rows_of(puzzles(0))) CHECK(has_one_solution(r.input));
  training_set grids(generate_pool(5, 1, {}), 9, 100, {.empty_grids = 1});
  std::size_t several = 0;
  for (const row& r : rows_of(grids(0))) several += has_one_solution(r.input) ? 0U : 1U;
  CHECK(several > 20);
}

TEST_CASE("the weights are the mean over blanks or the mean over rows") {
  const auto pool = generate_pool(5, 1, {});
  training_set by_blank(pool, 9, 8);
  training_set by_row(pool, 9, 8, {.weighting = loss_weighting::per_row});
  const auto a = rows_of(by_blank(3));
  const auto b = rows_of(by_row(3));
  std::size_t blanks = 0;
  for (const row& r : a) blanks += count_blanks(r.input);
  for (std::size_t k = 0; k < a.size(); ++k) {
    CHECK(a[k].input == b[k].input);
    for (std::size_t cell = 0; cell < cell_count; ++cell) {
      if (a[k].input[cell] != blank) continue;
      CHECK(a[k].weights[cell] == doctest::Approx(1.0 / static_cast<double>(blanks)));
      CHECK(b[k].weights[cell] == doctest::Approx(1.0 / (8.0 * static_cast<double>(count_blanks(b[k].input)))));
    }
  }
}

TEST_CASE("a step gives the same batch whenever it is asked for, another step or seed another") {
  const auto pool = generate_pool(5, 1, {});
  training_set examples(pool, 9, 4), resumed(pool, 9, 4), other(pool, 10, 4);
  examples(0);
  const auto a = rows_of(examples(7));
  const auto b = rows_of(resumed(7));
  const auto c = rows_of(other(7));
  const auto d = rows_of(examples(8));
  for (std::size_t k = 0; k < a.size(); ++k) {
    CHECK(a[k].input == b[k].input);
    CHECK(a[k].input != c[k].input);
    CHECK(a[k].input != d[k].input);
  }
}

TEST_CASE("the numbers of blanks are uniform") {
  // From the empty grid: 1 .. 81, mean 41, standard deviation 23.4; the mean of 4000 rows is within 5 * 23.4 / sqrt(4000)
  // = 1.9.
  training_set examples(generate_pool(2, 1, {}), 9, 4000, {.empty_grids = 1});
  double sum = 0;
  std::set<std::size_t> seen;
  for (const row& r : rows_of(examples(0))) {
    sum += static_cast<double>(count_blanks(r.input));
    seen.insert(count_blanks(r.input));
  }
  CHECK(std::abs(sum / 4000 - 41) < 1.9);
  CHECK(seen.size() == 81);
}

TEST_CASE("wrong arguments are refused") {
  const auto pool = generate_pool(1, 1, {});
  CHECK_THROWS_AS(training_set({}, 1, 8), lacuna::invalid_argument);
  CHECK_THROWS_AS(training_set(pool, 1, 0), lacuna::invalid_argument);
  CHECK_THROWS_AS(training_set(pool, 1, 8, {.empty_grids = 1.5}), lacuna::invalid_argument);
  CHECK_THROWS_AS(training_set(pool, 1, 8, {.whole_puzzles = std::nan("")}), lacuna::invalid_argument);
}

}  // namespace
