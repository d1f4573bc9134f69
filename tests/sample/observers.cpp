// What observers are told, and that they can stop a row.
#include <doctest/doctest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "lacuna/sample/compose.hpp"
#include "lacuna/sample/decode.hpp"
#include "tests/sample/models.hpp"
#include "tests/sample/policies.hpp"
#include "tests/sample/results.hpp"

using namespace lacuna;
using namespace lacuna::tests;

namespace {

/// Remembers which rows began with what.
struct starts {
  std::vector<std::pair<std::size_t, canvas>> seen;
  std::size_t steps = 0;
  void start(std::size_t row, const canvas& c) { seen.emplace_back(row, c); }
  void operator()(const step_event&) { ++steps; }
};
static_assert(observer<starts> && starts_watcher<starts>);
static_assert(!starts_watcher<void (*)(const step_event&)> && observer<void (*)(const step_event&)>);

}  // namespace

TEST_CASE("an observer that stops in block 1 of 4 leaves blocks 2 and 3 masked") {
  whole model;
  const auto stop = [](const step_event& e) {
    return std::any_of(e.committed.begin(), e.committed.end(), [](std::size_t i) { return i >= 4; }) ? verdict::stop
                                                                                                     : verdict::go_on;
  };
  const decode_result r =
      decode(model, canvas::blank(16), compose(order::blocks{4, order::left_to_right{1}}, draw::argmax{}), 1, stop);
  CHECK(r.reason == stop_reason::observer);
  CHECK(r.steps == 5);
  CHECK(model.calls == 5);
  for (std::size_t i = 0; i < 5; ++i) CHECK(r.cells[i] == cell::committed);
  for (std::size_t i = 5; i < 16; ++i) {
    CHECK(r.cells[i] == cell::masked);
    CHECK(r.tokens[i] == model.mask);
  }
}

TEST_CASE("only the row that an observer stops is stopped") {
  whole model;
  const std::vector<canvas> rows(3, canvas::blank(5));
  const auto stop = [](const step_event& e) { return e.row == 1 && e.step == 2 ? verdict::stop : verdict::go_on; };
  const auto sampler = compose(order::random{pace::constant{1}}, draw::categorical{});
  const batch_result r = decode(model, std::span{rows}, sampler, {.seed = 1}, stop);
  const batch_result free = decode(model, std::span{rows}, sampler, {.seed = 1});
  CHECK(r.rows[1].reason == stop_reason::observer);
  CHECK(r.rows[1].steps == 3);
  CHECK(same(r.rows[0], free.rows[0]));
  CHECK(same(r.rows[2], free.rows[2]));
}

TEST_CASE("a row that is done in the step in which an observer stops it is complete") {
  whole model;
  const auto stop = [](const step_event&) { return verdict::stop; };
  CHECK(decode(model, canvas::blank(3), compose(everything, draw::argmax{}), 1, stop).reason == stop_reason::complete);
}

TEST_CASE("all observers are told, in order, also after one of them said stop") {
  whole model;
  std::vector<int> told;
  const auto first = [&](const step_event&) {
    told.push_back(1);
    return verdict::stop;
  };
  const auto second = [&](const step_event&) { told.push_back(2); };
  decode(model, canvas::blank(3), compose(order::left_to_right{}, draw::argmax{}), 1, first, second);
  CHECK(told == std::vector<int>{1, 2});
}

TEST_CASE("events add up to the result") {
  whole model;
  decode_result seen;
  seen.step.assign(8, never);
  seen.confidence.assign(8, 0);
  const decode_result r = decode(model, canvas::blank(8), compose(order::random{pace::constant{3}}, draw::categorical{}), 1,
                                 [&](const step_event& e) {
                                   CHECK(e.row == 0);
                                   CHECK(e.step == seen.steps);
                                   CHECK(e.cost->calls() == e.step + 1);
                                   CHECK(e.committed.size() == e.confidence.size());
                                   for (std::size_t j = 0; j < e.committed.size(); ++j) {
                                     CHECK(e.sequence->is_committed(e.committed[j]));
                                     seen.step[e.committed[j]] = e.step;
                                     seen.confidence[e.committed[j]] = e.confidence[j];
                                   }
                                   seen.steps = e.step + 1;
                                 });
  CHECK(seen.step == r.step);
  CHECK(seen.confidence == r.confidence);
  CHECK(seen.steps == r.steps);
}

TEST_CASE("observers that ask for it see every row before its first step, also one that has none") {
  whole model;
  starts watch;
  const std::vector<canvas> rows{canvas::blank(2), canvas::infill({1, 2, 3}, {}), canvas::blank(4)};
  decode(model, std::span{rows}, compose(everything, draw::argmax{}), {.rows_per_call = 1}, watch);
  CHECK(watch.seen.size() == 3);
  for (std::size_t r = 0; r < 3; ++r) CHECK(watch.seen[r] == std::pair{r, rows[r]});
  CHECK(watch.steps == 2);
}
