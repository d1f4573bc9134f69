// A trace tells the whole run: every canvas can be had from it.
#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "lacuna/sample/compose.hpp"
#include "lacuna/sample/decode.hpp"
#include "lacuna/sample/trace_recorder.hpp"
#include "tests/sample/models.hpp"
#include "tests/sample/policies.hpp"

using namespace lacuna;
using namespace lacuna::tests;

namespace {

/// What can be seen of a canvas: its cells, and the tokens where it is not masked.
bool looks_like(const canvas& a, const canvas& b) {
  if (!std::equal(a.cells().begin(), a.cells().end(), b.cells().begin(), b.cells().end())) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (!a.is_masked(i) && a[i] != b[i]) return false;
  return true;
}

/// Decodes rows of several lengths and checks each canvas of the trace against the one that was shown.
template <class Sampler>
std::vector<sample::trace> check_replay(const Sampler& sampler) {
  whole model;
  model.end = 6;
  std::vector<canvas> starts{canvas::blank(9), canvas::infill({1, 2, 3}, {}), canvas::blank(14)};
  starts[0].fix(4, 2);
  starts[2].fix(11, 6);
  sample::trace_recorder recorder;
  std::vector<std::vector<canvas>> shown;
  for (const canvas& c : starts) shown.push_back({c});
  const auto keep = [&](const step_event& e) { shown[e.row].push_back(*e.sequence); };
  const batch_result r = decode(model, std::span{starts}, sampler, {.seed = 8}, recorder, keep);
  CHECK(recorder.rows().size() == 3);
  for (std::size_t row = 0; row < 3; ++row) {
    const sample::trace& trace = recorder.row(row);
    CHECK(trace.start == starts[row]);
    CHECK(trace.steps.size() == r.rows[row].steps);
    for (std::size_t s = 0; s < shown[row].size(); ++s) CHECK(looks_like(trace.after(s), shown[row][s]));
    if (!trace.steps.empty()) CHECK(trace.steps.back().cost == r.rows[row].cost);
    std::vector<double> confidence(starts[row].size(), 0);
    for (const sample::trace_step& step : trace.steps) {
      for (std::size_t j = 0; j < step.committed.size(); ++j) confidence[step.committed[j]] = step.confidence[j];
      for (const std::size_t i : step.remasked) confidence[i] = 0;
      for (const std::size_t i : step.closed) confidence[i] = 0;
    }
    CHECK(confidence == r.rows[row].confidence);
  }
  return {recorder.rows().begin(), recorder.rows().end()};
}

}  // namespace

TEST_CASE("the canvas after every step can be had from a trace") {
  const auto traces = check_replay(compose(order::random{pace::constant{2}}, draw::categorical{}));
  CHECK(traces[0].steps.size() == 4);
  CHECK(traces[1].steps.empty());
}

TEST_CASE("also where tokens are masked again") {
  std::size_t remasked = 0;
  for (const sample::trace& t : check_replay(compose(timed{9, 3}, draw::categorical{}, sometimes{0.4})))
    for (const sample::trace_step& step : t.steps) remasked += step.remasked.size();
  CHECK(remasked > 5);
}

TEST_CASE("also where an end of sequence closes positions, committed ones among them") {
  std::size_t closed = 0;
  for (const sample::trace& t : check_replay(compose(order::random{pace::constant{2}}, draw::categorical{}, ending::stop{})))
    for (const sample::trace_step& step : t.steps) {
      closed += step.closed.size();
      if (!step.closed.empty()) CHECK(step.end == 6);
      for (const std::size_t i : step.closed)
        CHECK(std::find(step.committed.begin(), step.committed.end(), i) == step.committed.end());
    }
  CHECK(closed > 0);
  check_replay(compose(timed{9, 3}, draw::categorical{}, sometimes{0.4}, ending::stop{}));
}

TEST_CASE("a recorder can be used again; rows that start anew begin a new trace") {
  whole model;
  sample::trace_recorder recorder;
  decode(model, canvas::blank(5), compose(order::left_to_right{1}, draw::argmax{}), 1, recorder);
  CHECK(recorder.row(0).steps.size() == 5);
  decode(model, canvas::blank(3), compose(order::left_to_right{3}, draw::argmax{}), 1, recorder);
  CHECK(recorder.row(0).steps.size() == 1);
  CHECK(recorder.row(0).start.size() == 3);
}
