// A row's tokens, order and cost depend on nothing but its canvas, its stream and the seed.
#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "lacuna/sample/compose.hpp"
#include "lacuna/sample/decode.hpp"
#include "tests/sample/models.hpp"
#include "tests/sample/policies.hpp"
#include "tests/sample/results.hpp"

using namespace lacuna;
using namespace lacuna::tests;

namespace {

/// Nine rows of different lengths and states, each with a stream of its own.
std::vector<job> mixed_jobs() {
  std::vector<job> jobs;
  for (const std::size_t length : {5U, 9U, 5U, 1U, 12U, 9U, 5U, 12U, 3U}) {
    const std::size_t r = jobs.size();
    canvas c = canvas::blank(length);
    for (std::size_t i = 0; i < length; ++i)
      if ((i + r) % 4 == 1) c.fix(i, static_cast<token>((i * r) % 6));
    jobs.push_back({c, 100 + r, unlimited});
  }
  return jobs;
}

template <class Model, class Sampler>
std::vector<decode_result> rows_of(const std::vector<job>& jobs, const Sampler& sampler, std::size_t rows_per_call) {
  Model model;
  return decode(model, std::span{jobs}, sampler, {.seed = 5, .rows_per_call = rows_per_call}).rows;
}

template <class Sampler>
void check_regrouped(const Sampler& sampler) {
  const std::vector<job> jobs = mixed_jobs();
  std::vector<decode_result> alone;
  for (const job& j : jobs) alone.push_back(rows_of<whole>({j}, sampler, unlimited).front());
  // a control: the rows are not all the same anyway
  CHECK_FALSE(same(alone[1], alone[5]));

  for (const std::size_t rows_per_call : {std::size_t{1}, std::size_t{2}, std::size_t{3}, std::size_t{8}, unlimited}) {
    CAPTURE(rows_per_call);
    CHECK(same(alone, rows_of<whole>(jobs, sampler, rows_per_call)));
    CHECK(same(alone, rows_of<selective>(jobs, sampler, rows_per_call)));
    CHECK(same(alone, rows_of<ragged>(jobs, sampler, rows_per_call)));
    CHECK(same(alone, rows_of<ragged_selective>(jobs, sampler, rows_per_call)));
  }
  std::vector<job> reversed(jobs.rbegin(), jobs.rend());
  std::rotate(reversed.begin(), reversed.begin() + 4, reversed.end());
  std::vector<decode_result> expected(alone.rbegin(), alone.rend());
  std::rotate(expected.begin(), expected.begin() + 4, expected.end());
  CHECK(same(expected, rows_of<whole>(reversed, sampler, unlimited)));
  CHECK(same(expected, rows_of<ragged_selective>(reversed, sampler, 4)));
}

}  // namespace

TEST_CASE("rows permuted and regrouped come out the same, whatever form the model has") {
  check_regrouped(compose(surest(2), draw::argmax{}));
  check_regrouped(compose(order::random{pace::constant{3}}, draw::categorical{}));
  check_regrouped(compose(order::blocks{4, surest(1)}, draw::categorical{}));
  check_regrouped(compose(timed{6, 3}, draw::categorical{}, sometimes{0.4}));
  check_regrouped(compose(timed{6, 3}, draw::categorical{}, doubtful{0.15}));
}

TEST_CASE("rows of equal length share a call, others do not unless the model is ragged") {
  const std::vector<job> jobs = mixed_jobs();
  const auto one_step = compose(everything, draw::argmax{});
  const auto network = [&](auto model, std::size_t rows_per_call) {
    const nfe::count n = decode(model, std::span{jobs}, one_step, {.rows_per_call = rows_per_call}).network;
    CHECK(n == nfe::count{model.calls, model.rows});
    return n;
  };
  CHECK(network(whole{}, unlimited) == nfe::count{5, 9});  // lengths 1, 3, 5, 9, 12
  CHECK(network(selective{}, unlimited) == nfe::count{5, 9});
  CHECK(network(ragged{}, unlimited) == nfe::count{1, 9});
  CHECK(network(ragged_selective{}, 4) == nfe::count{3, 9});
  CHECK(network(whole{}, 1) == nfe::count{9, 9});
}

TEST_CASE("rows_per_call bounds the rows of a call and keeps calls full while rows wait") {
  ragged model;
  std::vector<job> jobs(10, job{canvas::blank(4), 0, unlimited});
  const batch_result r = decode(model, std::span{jobs}, compose(order::left_to_right{}, draw::argmax{}), {.rows_per_call = 4});
  CHECK(r.network == nfe::count{12, 40});  // 4, 4 and 2 rows, four steps each
}

TEST_CASE("two samples with one seed differ, and each repeats") {
  whole model;
  const auto sampler = compose(order::random{pace::constant{1}}, draw::categorical{});
  const std::vector<canvas> twice(2, canvas::blank(12));
  const batch_result a = decode(model, std::span{twice}, sampler, {.seed = 3});
  const batch_result b = decode(model, std::span{twice}, sampler, {.seed = 3});
  CHECK(a.rows[0].tokens != a.rows[1].tokens);
  CHECK(a.rows[0].step != a.rows[1].step);
  CHECK(same(a.rows, b.rows));
  const batch_result other = decode(model, std::span{twice}, sampler, {.seed = 4});
  CHECK_FALSE(same(a.rows[0], other.rows[0]));
  CHECK(same(decode(model, canvas::blank(12), sampler, 3), a.rows[0]));
}

TEST_CASE("rows with one canvas and one stream come out equal") {
  whole model;
  const std::vector<job> jobs(3, job{canvas::blank(7), 9, unlimited});
  const auto rows = decode(model, std::span{jobs}, compose(order::random{pace::constant{2}}, draw::categorical{}), {}).rows;
  CHECK(same(rows[0], rows[1]));
  CHECK(same(rows[0], rows[2]));
}
