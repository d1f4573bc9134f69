#include "../../../examples/sudoku/training_set.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <set>
#include <vector>

namespace {

using namespace sudoku;
using lacuna::train::batch_builder;
using lacuna::train::elbo_by_count;

struct row {
  grid input{}, target{};
  std::vector<float> weights;
};

template <class Source>
std::vector<row> rows_of(Source& source, std::size_t step, batch_builder& batch, std::uint64_t seed = 9) {
  batch.clear();
  lacuna::random_stream random{seed, lacuna::stream_use::training, 0, step};
  source(step, batch, random);
  const lacuna::nn::example_batch view = batch.view();
  std::vector<row> rows(batch.rows());
  for (std::size_t b = 0; b < rows.size(); ++b) {
    REQUIRE(view.offsets[b + 1] - view.offsets[b] == cell_count);
    for (std::size_t cell = 0; cell < cell_count; ++cell) {
      rows[b].input[cell] = static_cast<std::int8_t>(view.inputs[view.offsets[b] + cell]);
      rows[b].target[cell] = static_cast<std::int8_t>(view.targets[view.offsets[b] + cell]);
      rows[b].weights.push_back(view.weights[view.offsets[b] + cell]);
    }
  }
  return rows;
}

TEST_CASE("every row is a partly masked valid grid with its loss on the masks") {
  training_set examples(generate_pool(5, 1, {}), 16);
  batch_builder batch;
  for (std::size_t step = 0; step < 20; ++step) {
    const auto rows = rows_of(examples, step, batch);
    CHECK(rows.size() == 16);
    std::size_t masks = 0;
    for (const row& r : rows) {
      CHECK(is_solved(r.input, r.target));
      CHECK(count_blanks(r.input) >= 1);
      for (std::size_t cell = 0; cell < cell_count; ++cell) CHECK(r.weights[cell] == (r.input[cell] == blank ? 1.0F : 0.0F));
      masks += count_blanks(r.input);
    }
    CHECK(batch.units() == static_cast<double>(masks));
  }
}

TEST_CASE("rows made of puzzles have one solution however many blanks are masked, rows made of full grids need not") {
  batch_builder batch;
  training_set puzzles(generate_pool(5, 1, {}), 100, {.full_grids = 0, .easy_first = 0, .whole_puzzles = 0.1});
  for (const row& r : rows_of(puzzles, 0, batch)) CHECK(has_one_solution(r.input));
  training_set grids(generate_pool(5, 1, {}), 100, {.full_grids = 1});
  std::size_t several = 0;
  for (const row& r : rows_of(grids, 0, batch)) several += has_one_solution(r.input) ? 0U : 1U;
  CHECK(several > 20);
}

TEST_CASE("a share of the puzzles is left whole, with the blanks of the pool's puzzle") {
  const auto pool = generate_pool(1, 1, {});
  batch_builder batch;
  training_set all(pool, 10, {.full_grids = 0, .easy_first = 0, .whole_puzzles = 1});
  for (const row& r : rows_of(all, 0, batch)) CHECK(count_blanks(r.input) == count_blanks(pool[0].givens));
  // None is whole on purpose, but the number of masks is uniform over 1 .. 57 or so: about 18 of 1000.
  training_set none(pool, 1000, {.full_grids = 0, .easy_first = 0, .whole_puzzles = 0});
  std::size_t whole = 0;
  for (const row& r : rows_of(none, 0, batch)) whole += count_blanks(r.input) == count_blanks(pool[0].givens) ? 1U : 0U;
  CHECK(whole < 50);
}

TEST_CASE("a share of the puzzles is filled in easiest first, and some of those up to where a guess is due") {
  const auto pool = generate_pool(50, 1, {});
  batch_builder batch;
  // A cell follows at once if it has one candidate; hidden singles are left to the test of the order itself.
  const auto naked_singles = [](const grid& g) {
    std::size_t n = 0;
    for (std::size_t cell = 0; cell < cell_count; ++cell) {
      if (g[cell] != blank) continue;
      std::size_t candidates = 0;
      for (std::int8_t digit = 1; digit <= 9; ++digit) {
        grid tried = g;
        tried[cell] = digit;
        candidates += is_consistent(tried) ? 1U : 0U;
      }
      n += candidates == 1 ? 1U : 0U;
    }
    return n;
  };
  training_set stuck(pool, 200, {.full_grids = 0, .easy_first = 1, .stuck = 1});
  training_set random(pool, 200, {.full_grids = 0, .easy_first = 0, .whole_puzzles = 0});
  std::size_t stuck_rows = 0, random_rows = 0;
  for (const row& r : rows_of(stuck, 0, batch)) stuck_rows += naked_singles(r.input) == 0 ? 1U : 0U;
  for (const row& r : rows_of(random, 0, batch)) random_rows += naked_singles(r.input) == 0 ? 1U : 0U;
  CHECK(stuck_rows > 100);
  CHECK(random_rows < 60);
}

TEST_CASE("with the weight of the ELBO every row counts alike") {
  batch_builder batch;
  training_set examples(generate_pool(5, 1, {}), 8, {.full_grids = 1}, elbo_by_count{});
  for (const row& r : rows_of(examples, 3, batch)) {
    double sum = 0;
    for (const float weight : r.weights) sum += static_cast<double>(weight);
    CHECK(sum == doctest::Approx(81));
  }
  CHECK(batch.units() == 8 * 81);
}

TEST_CASE("a step gives the same batch whenever it is asked for, another step or seed another") {
  const auto pool = generate_pool(5, 1, {});
  batch_builder batch;
  training_set examples(pool, 4), resumed(pool, 4);
  rows_of(examples, 0, batch);
  const auto a = rows_of(examples, 7, batch);
  const auto b = rows_of(resumed, 7, batch);
  const auto c = rows_of(examples, 7, batch, 10);
  const auto d = rows_of(examples, 8, batch);
  for (std::size_t k = 0; k < a.size(); ++k) {
    CHECK(a[k].input == b[k].input);
    CHECK(a[k].input != c[k].input);
    CHECK(a[k].input != d[k].input);
  }
}

TEST_CASE("the numbers of masks are uniform") {
  // In full grids 1 .. 81, mean 41, standard deviation 23.4: the mean of 4000 rows is within 5 * 23.4 / sqrt(4000) = 1.9.
  training_set examples(generate_pool(2, 1, {}), 4000, {.full_grids = 1});
  batch_builder batch;
  double sum = 0;
  std::set<std::size_t> seen;
  for (const row& r : rows_of(examples, 0, batch)) {
    sum += static_cast<double>(count_blanks(r.input));
    seen.insert(count_blanks(r.input));
  }
  CHECK(std::abs(sum / 4000 - 41) < 1.9);
  CHECK(seen.size() == 81);
}

TEST_CASE("wrong arguments are refused") {
  const auto pool = generate_pool(1, 1, {});
  CHECK_THROWS_AS(training_set({}, 8), lacuna::invalid_argument);
  CHECK_THROWS_AS(training_set(pool, 0), lacuna::invalid_argument);
  CHECK_THROWS_AS(training_set(pool, 8, {.full_grids = 1.5}), lacuna::invalid_argument);
  CHECK_THROWS_AS(training_set(pool, 8, {.stuck = -0.1}), lacuna::invalid_argument);
  CHECK_THROWS_AS(training_set(pool, 8, {.easy_first = 2}), lacuna::invalid_argument);
  CHECK_THROWS_AS(training_set(pool, 8, {.whole_puzzles = std::nan("")}), lacuna::invalid_argument);
}

}  // namespace
