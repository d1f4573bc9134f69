#include "../../../examples/sudoku/decode_puzzles.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <vector>

#include "../../../examples/sudoku/check.hpp"
#include "../../../examples/sudoku/samplers.hpp"
#include "fixtures.hpp"

namespace {

using namespace sudoku;
using namespace sudoku_test;

decoded_puzzles one_at_a_time(model& m, std::span<const puzzle> puzzles) {
  return decode_puzzles(m, make_sampler("sequential").sampler, puzzles);
}

TEST_CASE("a model that knows the solutions solves everything, a cell of each puzzle a pass") {
  std::vector<puzzle> puzzles = some_puzzles();
  puzzles[3].givens = *puzzles[3].solution;  // nothing to do
  model m = oracle(puzzles);
  const decoded_puzzles d = one_at_a_time(m, puzzles);
  CHECK(d.solved == 5);
  CHECK(d.valid == 5);
  for (std::size_t k = 0; k < puzzles.size(); ++k) {
    CHECK(d.grids[k] == *puzzles[k].solution);
    CHECK(d.passes[k] == static_cast<double>(count_blanks(puzzles[k].givens)));
  }
}

TEST_CASE("a model that knows nothing solves nothing") {
  std::vector<puzzle> puzzles = some_puzzles();
  for (puzzle& p : puzzles) p.solution.reset();  // nothing to compare with
  model m = scrambled();
  const decoded_puzzles d = one_at_a_time(m, puzzles);
  CHECK(d.solved == 0);
  CHECK(d.valid == 0);
  CHECK(d.grids.size() == 5);
}

TEST_CASE("one wrong cell in a grid is enough for it not to be solved") {
  const std::vector<puzzle> puzzles = some_puzzles(1);
  std::vector<puzzle> believed = puzzles;
  std::int8_t& digit = (*believed[0].solution)[80];
  REQUIRE(puzzles[0].givens[80] == blank);
  digit = static_cast<std::int8_t>(digit % 9 + 1);
  model m = oracle(believed);
  const decoded_puzzles d = one_at_a_time(m, puzzles);
  CHECK(d.solved == 0);
  CHECK(d.valid == 0);
}

TEST_CASE("a valid grid that is not the solution given is valid, but not solved") {
  std::vector<puzzle> puzzles(1);  // no givens: any valid grid will do, unless it says which
  puzzles[0].solution = from_line(solution_text);
  model m = oracle(puzzles);
  CHECK(one_at_a_time(m, puzzles).solved == 1);
  std::vector<puzzle> other = puzzles;
  for (std::int8_t& digit : *other[0].solution) digit = static_cast<std::int8_t>(digit % 9 + 1);
  const decoded_puzzles d = one_at_a_time(m, other);
  CHECK(d.solved == 0);
  CHECK(d.valid == 1);
  other[0].solution.reset();
  CHECK(one_at_a_time(m, other).solved == 1);
}

TEST_CASE("the surest cell goes first") {
  const std::vector<puzzle> puzzles = some_puzzles(1);
  model m = oracle(puzzles);  // surest of the last blank
  lacuna::sample::trace_recorder recorder;
  const lacuna::decode_result result = decode_traced(m, make_sampler("sequential").sampler, puzzles[0], 0, recorder);
  std::size_t pass = count_blanks(puzzles[0].givens);
  for (std::size_t cell = 0; cell < cell_count; ++cell)
    if (puzzles[0].givens[cell] == blank) CHECK(result.step[cell] == --pass);
  CHECK(recorder.row(0).steps.size() == count_blanks(puzzles[0].givens));
}

TEST_CASE("a traced puzzle is decoded as it is among others, random draws included") {
  const std::vector<puzzle> puzzles = some_puzzles(3);
  const lacuna::sample::any_hidden_sampler sampler = make_sampler("random:k=3,temperature=1").sampler;
  model m = scrambled();
  const decoded_puzzles d = decode_puzzles(m, sampler, puzzles, {7, 64});
  lacuna::sample::trace_recorder recorder;
  for (std::size_t k = 0; k < 3; ++k) CHECK(grid_of(decode_traced(m, sampler, puzzles[k], 7, recorder)) == d.grids[k]);
}

TEST_CASE("the same puzzle twice is drawn twice") {
  const std::vector<puzzle> twice(2, some_puzzles(1)[0]);
  model m = scrambled();
  const decoded_puzzles d = decode_puzzles(m, make_sampler("sequential:temperature=1").sampler, twice);
  CHECK(d.grids[0] != d.grids[1]);
}

TEST_CASE("a model without a finite logit is an error") {
  model m = model_of([](const grid&, std::size_t, auto& logits) { logits.fill(std::numeric_limits<float>::quiet_NaN()); });
  const std::vector<puzzle> puzzles = some_puzzles(2);
  CHECK_THROWS_AS(one_at_a_time(m, puzzles), lacuna::model_error);
  lacuna::sample::trace_recorder recorder;
  CHECK_THROWS_AS(decode_traced(m, make_sampler("sequential").sampler, puzzles[0], 0, recorder), lacuna::model_error);
}

}  // namespace
