// What must hold always of the speculative sampler, for random orders, windows, models, canvases, endings and batches.
#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "lacuna/rank/confidence.hpp"
#include "lacuna/rank/entropy.hpp"
#include "lacuna/rank/gumbel.hpp"
#include "lacuna/rank/left_to_right.hpp"
#include "lacuna/rank/margin.hpp"
#include "lacuna/sample/speculative.hpp"
#include "lacuna/window/constant.hpp"
#include "lacuna/window/cosine.hpp"
#include "lacuna/window/linear.hpp"
#include "tests/sample/draft_verify_models.hpp"
#include "tests/sample/scenario.hpp"

using namespace lacuna;
using namespace lacuna::tests;

namespace {

std::size_t some() { return *rc::gen::inRange<std::size_t>(1, 9); }
double share() { return *rc::gen::inRange(1, 101) / 100.0; }

/// A network that verifies, as ill-tempered as the scenario says.
template <class Model>
struct ill_tempered : Model {
  ill_tempered& operator=(const fake& f) {
    static_cast<fake&>(*this) = f;
    this->target = [inner = f.logits](std::span<const token> row, std::size_t l, std::span<float> out) {
      inner(row, l, out);
      for (float& v : out) v /= 2;
    };
    return *this;
  }
};

template <class Model>
std::vector<decode_result> rows_of(const scenario& s, const std::vector<job>& jobs,
                                   const sample::any_verifying_sampler& sampler, std::size_t rows_per_call,
                                   sample::trace_recorder& recorder) {
  ill_tempered<Model> model;
  model = s.facts;
  const batch_result r = decode(model, std::span{jobs}, sampler, {.seed = s.seed, .rows_per_call = rows_per_call}, recorder);
  RC_ASSERT(r.network.calls == model.calls);
  RC_ASSERT(r.network.rows == model.rows);
  nfe sum;
  for (const decode_result& row : r.rows) sum += row.cost;
  RC_ASSERT(sum.rows() == model.rows);
  for (const std::size_t slot : model.slots_met) RC_ASSERT(slot < std::min(jobs.size(), rows_per_call));
  return r.rows;
}

template <class MakeSampler>
void check(const char* name, MakeSampler&& make) {
  check_property(name, 150, [&] {
    const auto composed = make();
    const sample::any_verifying_sampler sampler = composed;
    const scenario s = any_scenario();
    sample::trace_recorder recorder;
    const auto rows = rows_of<drafts_and_verifies>(s, s.jobs, sampler, unlimited, recorder);
    for (std::size_t r = 0; r < rows.size(); ++r) {
      const decode_result& row = rows[r];
      const sample::trace& trace = recorder.row(r);
      check_contents(s, s.jobs[r].start, row, trace);
      const std::size_t failed = row.reason == stop_reason::error ? 1 : 0;  // the step that brought nothing
      const nfe::count drafts = row.cost.of(purpose::draft);
      const nfe::count verified = row.cost.of(purpose::verify);
      RC_ASSERT(row.steps <= s.jobs[r].start.count(cell::masked));
      RC_ASSERT(drafts == (nfe::count{row.steps + failed, row.steps + failed}));
      RC_ASSERT(verified.calls == verified.rows && verified.rows >= row.steps);
      RC_ASSERT(verified.rows <= (row.steps + failed) * composed.verifications);
      RC_ASSERT(row.cost.rows() == drafts.rows + verified.rows);
      for (const sample::trace_step& step : trace.steps) {
        RC_ASSERT(!step.committed.empty() && step.remasked.empty());
        for (const std::size_t i : step.redrawn)
          RC_ASSERT(std::find(step.committed.begin(), step.committed.end(), i) != step.committed.end());
      }
    }
    // the same in other company, in other calls, with rows that come in another order
    std::vector<job> others = s.jobs;
    std::rotate(others.begin(), others.begin() + static_cast<std::ptrdiff_t>(s.rotation), others.end());
    auto expected = rows;
    std::rotate(expected.begin(), expected.begin() + static_cast<std::ptrdiff_t>(s.rotation), expected.end());
    RC_ASSERT(same(expected, rows_of<verifies_backwards>(s, others, sampler, s.rows_per_call, recorder)));
  });
}

}  // namespace

TEST_CASE("what must hold always of speculative sampling: orders that do not look at the model") {
  check("random", [] { return sample::speculative{rank::random{}, window::none{}, some()}; });
  check("left to right", [] {
    return sample::speculative{rank::left_to_right{}, window::constant{some()}, some(), 2 * share(), 100, ending::stop{}};
  });
  check("random, ends last", [] {
    return sample::speculative{rank::random{}, window::cosine{share()}, some(), 1, some(), ending::last<ending::stop>{}};
  });
}

TEST_CASE("what must hold always of speculative sampling: orders that do") {
  check("confidence", [] { return sample::speculative{rank::confidence{}, window::linear{share()}, some(), share()}; });
  check("gumbel", [] { return sample::speculative{rank::gumbel{share()}, window::none{}, some(), 0, 100, ending::stop{}}; });
  check("margin in blocks, ends last",
        [] { return sample::speculative{rank::margin{}, window::constant{some()}, some(), 1, some(), ending::last<>{}}; });
  check("a lambda of all statistics", [] {
    const auto rank = [](const step_view& v, std::size_t k) { return v.entropy(k) - v.confidence(k) * v.margin(k); };
    return sample::speculative{rank, window::cosine{share()}, some(), 1, some(), ending::last<ending::stop>{}};
  });
}
