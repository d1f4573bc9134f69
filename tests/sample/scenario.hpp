/// @file
/// @brief Random models, canvases and batches, and what must hold for every run on them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include "lacuna/sample/any_sampler.hpp"
#include "lacuna/sample/decode.hpp"
#include "lacuna/sample/trace_recorder.hpp"
#include "tests/sample/models.hpp"
#include "tests/sample/property.hpp"
#include "tests/sample/results.hpp"

namespace lacuna::tests {

/// What there is to decode, and with what kind of model.
struct scenario {
  std::uint64_t seed = 0;
  std::vector<job> jobs;
  fake facts;
  int temper = 0;  ///< 0 sensible, 1 uniform, 2 logits of ±700, 3 NaN and −inf here and there, 4 mass on mask and forbidden
  std::size_t rows_per_call = 1;
  std::size_t rotation = 0;
};

inline network network_of(int temper) {
  if (temper == 1) return uniform;
  return [temper](std::span<const token> row, std::size_t l, std::span<float> out) {
    scrambled(row, l, out);
    random_stream rng(static_cast<std::uint64_t>(out[0] * 1e6F + 1e9F), stream_use::other, l);
    if (temper == 2)
      for (float& v : out) v *= 233;
    if (temper == 3) {
      const bool dead = rng.bernoulli(0.2);
      for (float& v : out)
        if (dead || rng.bernoulli(0.1))
          v = rng.bernoulli(0.5) ? std::numeric_limits<float>::quiet_NaN() : -std::numeric_limits<float>::infinity();
    }
    if (temper == 4) {
      out.back() = 1e30F;
      out[1] = 1e20F;
    }
  };
}

/// Draws a scenario. The mask is the last token, 1 is forbidden, 2 the end.
inline scenario any_scenario() {
  scenario s;
  s.seed = *rc::gen::arbitrary<std::uint64_t>();
  s.facts.vocabulary = *rc::gen::inRange<std::size_t>(4, 9);
  s.facts.mask = static_cast<token>(s.facts.vocabulary - 1);
  s.facts.forbidden = {1};
  s.facts.end = 2;
  s.facts.shift = *rc::gen::inRange<std::size_t>(0, 2);
  s.temper = *rc::gen::inRange(0, 5);
  s.facts.logits = network_of(s.temper);
  const std::size_t rows = *rc::gen::inRange<std::size_t>(1, 6);
  for (std::size_t r = 0; r < rows; ++r) {
    const std::size_t length = *rc::gen::inRange<std::size_t>(1, 20);
    const auto fixed =
        *rc::gen::container<std::vector<int>>(length, rc::gen::inRange(-4, static_cast<int>(s.facts.vocabulary)));
    canvas c = canvas::blank(length);
    for (std::size_t i = 0; i < length; ++i)
      if (fixed[i] >= 0) c.fix(i, fixed[i]);
    s.jobs.push_back({c, 10 + r, unlimited});
  }
  s.rows_per_call = *rc::gen::inRange<std::size_t>(1, rows + 1);
  s.rotation = *rc::gen::inRange<std::size_t>(0, rows);
  return s;
}

template <class Model, class Sampler, class... Observers>
std::vector<decode_result> decode_scenario(const scenario& s, const std::vector<job>& jobs, const Sampler& sampler,
                                           std::size_t rows_per_call, Observers&&... observers) {
  Model model;
  static_cast<fake&>(model) = s.facts;
  const batch_result r =
      decode(model, std::span{jobs}, sampler, {.seed = s.seed, .rows_per_call = rows_per_call}, observers...);
  RC_ASSERT(r.network.calls == model.calls);
  RC_ASSERT(r.network.rows == model.rows);
  std::size_t rows = 0;
  for (const decode_result& row : r.rows) rows += row.cost.rows();
  RC_ASSERT(rows == model.rows);
  return r.rows;
}

/// What must hold of what is in one row, whatever the sampler.
inline void check_contents(const scenario& s, const canvas& start, const decode_result& r, const sample::trace& trace) {
  const std::size_t length = start.size();
  RC_ASSERT(r.tokens.size() == length && r.cells.size() == length && r.step.size() == length && r.confidence.size() == length);
  const bool done = r.reason == stop_reason::complete || r.reason == stop_reason::end_of_sequence;
  RC_ASSERT(done || (r.reason == stop_reason::error && !r.error.empty() && s.temper == 3));
  std::size_t closed_from = length;
  for (std::size_t i = 0; i < length; ++i) {
    if (start.is_fixed(i)) {  // fixed tokens never change
      RC_ASSERT(r.cells[i] == cell::fixed && r.tokens[i] == start[i]);
      RC_ASSERT(r.step[i] == never && r.confidence[i] == 0);
      continue;
    }
    switch (r.cells[i]) {
      case cell::committed:  // never the mask, never what is forbidden, with the step and confidence of the commit
        RC_ASSERT(r.tokens[i] != s.facts.mask && r.tokens[i] != 1);
        RC_ASSERT(r.tokens[i] >= 0 && static_cast<std::size_t>(r.tokens[i]) < s.facts.vocabulary);
        RC_ASSERT(r.step[i] < r.steps && r.confidence[i] >= 0 && r.confidence[i] <= 1);
        RC_ASSERT(closed_from == length);  // nothing behind the end
        break;
      case cell::closed:
        RC_ASSERT(r.reason != stop_reason::complete && r.tokens[i] == 2 && r.step[i] == never);
        closed_from = std::min(closed_from, i);
        break;
      case cell::masked:
        RC_ASSERT(!done && r.tokens[i] == s.facts.mask && r.step[i] == never);
        break;
      case cell::fixed:
        RC_FAIL("a position was fixed");
    }
  }
  // the trace tells the same story
  const canvas end = trace.after(trace.steps.size());
  RC_ASSERT(std::equal(end.cells().begin(), end.cells().end(), r.cells.begin()));
  for (std::size_t i = 0; i < length; ++i) RC_ASSERT(end.is_masked(i) || end[i] == r.tokens[i]);
  RC_ASSERT(trace.steps.size() == r.steps);
}

/// What must hold of one row, whatever the policies.
inline void check_row(const scenario& s, const canvas& start, const decode_result& r, const sample::trace& trace,
                      bool remasks) {
  check_contents(s, start, r, trace);
  const bool done = r.reason != stop_reason::error;
  const nfe::count passes = r.cost.of(purpose::decode);  // orders that probe have others beside
  RC_ASSERT(passes.calls == passes.rows);
  const std::size_t failed = done ? 0 : 1;  // the pass that brought nothing
  if (remasks) {
    RC_ASSERT(passes.calls <= r.steps + failed);
  } else {
    RC_ASSERT(r.steps <= start.count(cell::masked));
    RC_ASSERT(passes.calls == r.steps + failed);
    for (const sample::trace_step& step : trace.steps) RC_ASSERT(!step.committed.empty() && step.remasked.empty());
  }
}

/// Decodes a random scenario with `sampler` and checks all that must hold always.
inline void check_run(const sample::any_sampler& sampler, bool remasks) {
  const scenario s = any_scenario();
  sample::trace_recorder recorder;
  const auto rows = decode_scenario<ragged_selective>(s, s.jobs, sampler, unlimited, recorder);
  for (std::size_t r = 0; r < rows.size(); ++r) check_row(s, s.jobs[r].start, rows[r], recorder.row(r), remasks);

  // the same in other company, in other calls, on a model of another form
  std::vector<job> others = s.jobs;
  std::rotate(others.begin(), others.begin() + static_cast<std::ptrdiff_t>(s.rotation), others.end());
  auto expected = rows;
  std::rotate(expected.begin(), expected.begin() + static_cast<std::ptrdiff_t>(s.rotation), expected.end());
  RC_ASSERT(same(expected, decode_scenario<whole>(s, others, sampler, s.rows_per_call)));
}

}  // namespace lacuna::tests
