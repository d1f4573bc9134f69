/// @file
/// @brief decode: runs a sampler on one canvas or on many that share the model's calls.
///
/// ```cpp
/// auto result = lacuna::decode(model, lacuna::canvas::blank(64), sampler, seed);
/// ```
/// A row's tokens, order and cost depend on its canvas, its stream and the seed only: not on its neighbours, on how many
/// rows share a call, or on threads. Rows of different lengths and at different stages go together; finished rows make room
/// for waiting ones. Everything is checked before the first pass (invalid_argument); a model that breaks its contract raises
/// model_error. In a batch, a row that cannot go on ends with reason `error` and the others continue. Steps allocate nothing
/// once the longest rows are under way.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "lacuna/concepts/drivable_model.hpp"
#include "lacuna/concepts/model_facts.hpp"
#include "lacuna/concepts/observer.hpp"
#include "lacuna/core/canvas.hpp"
#include "lacuna/core/cost.hpp"
#include "lacuna/core/errors.hpp"
#include "lacuna/sample/check_canvas.hpp"
#include "lacuna/sample/result.hpp"
#include "lacuna/sample/round.hpp"
#include "lacuna/sample/sampler.hpp"
#include "lacuna/sample/scorer.hpp"
#include "lacuna/sample/scoring_queue.hpp"

namespace lacuna {

/// One row to decode.
struct job {
  canvas start;
  std::uint64_t stream = 0;           ///< names the row's random numbers; rows with equal streams and canvases come out equal
  std::size_t max_steps = unlimited;  ///< budget of this row
};

struct decode_options {
  std::uint64_t seed = 0;
  std::size_t rows_per_call = unlimited;  ///< most rows in one call, and in flight
};

/// Jobs from canvases, row i with stream first + i.
inline std::vector<job> jobs_of(std::span<const canvas> canvases, std::uint64_t first = 0) {
  std::vector<job> jobs;
  jobs.reserve(canvases.size());
  for (std::size_t i = 0; i < canvases.size(); ++i) jobs.push_back({canvases[i], first + i, unlimited});
  return jobs;
}

namespace detail {

/// A row in flight.
template <class State>
struct flight {
  std::size_t row;
  State state;
  nfe cost;
  std::size_t slot;           // of the model's memory for its drafts
  std::size_t first_row = 0;  // of its rows in the queue
};

}  // namespace detail

/// Many jobs, each with its own random stream and budget.
template <drivable_model Model, sampler_for<Model> Sampler, observer... Observers>
batch_result decode(Model& model, std::span<const job> jobs, const Sampler& sampler, const decode_options& options,
                    Observers&&... observers) {
  const model_facts facts = facts_of(model);
  sampler.validate(facts);
  for (std::size_t r = 0; r < jobs.size(); ++r) check_canvas(jobs[r].start, facts, "decode: row " + std::to_string(r));
  if (options.rows_per_call == 0) throw invalid_argument("decode: rows_per_call = 0, expected at least 1");

  batch_result result;
  result.rows.resize(jobs.size());
  scorer<Model> score(model, facts, options.rows_per_call);
  scoring_queue queue;
  row_scratch scratch;
  using flight = detail::flight<typename Sampler::state>;
  std::vector<flight> flights;
  flights.reserve(std::min(jobs.size(), options.rows_per_call));
  std::vector<std::size_t> free_slots;  // of those below flights.size() + free_slots.size()
  free_slots.reserve(flights.capacity());

  const auto land = [&](const flight& f, stop_reason reason, std::string error = {}) {
    result.rows[f.row] = result_of(f.state, facts.mask, f.cost, reason, std::move(error));
  };
  const auto reason_of = [](const flight& f) { return f.state.ended() ? stop_reason::end_of_sequence : stop_reason::complete; };
  /// One step of one row, or a part of it, and why the row ends with it, if it does.
  const auto advance = [&](flight& f) -> std::optional<stop_reason> {
    const std::size_t step = f.state.steps();
    step_info info;
    try {
      info = sampler.advance(f.state);
    } catch (const model_error& e) {
      land(f, stop_reason::error, "row " + std::to_string(f.row) + ": " + e.what());
      return stop_reason::error;
    }
    if (f.state.steps() == step) return {};  // it must ask for more before the step is done
    const step_event event{f.row,         step,    &f.state.sequence(), info.committed, info.confidence,
                           info.remasked, &f.cost, info.redrawn};
    const verdict v = notify(event, observers...);
    std::optional<stop_reason> end;
    if (sampler.done(f.state))
      end = reason_of(f);
    else if (v == verdict::stop)
      end = stop_reason::observer;
    else if (f.state.steps() >= jobs[f.row].max_steps)
      end = stop_reason::budget;
    if (end) land(f, *end);
    return end;
  };

  std::size_t next = 0;
  while (next < jobs.size() || !flights.empty()) {
    while (next < jobs.size() && flights.size() < options.rows_per_call) {
      const job& j = jobs[next];
      notify_start(next, j.start, observers...);
      const std::size_t slot = free_slots.empty() ? flights.size() : free_slots.back();
      flight f{next, sampler.init(row_context{&facts, options.seed, j.stream, score.hidden_width(), slot}, j.start), {}, slot};
      ++next;
      if (sampler.done(f.state))
        land(f, reason_of(f));
      else if (j.max_steps == 0)
        land(f, stop_reason::budget);
      else {
        flights.push_back(std::move(f));
        if (!free_slots.empty()) free_slots.pop_back();
      }
    }

    queue.clear();
    for (std::size_t a = 0; a < flights.size(); ++a) {
      flights[a].first_row = queue.rows();
      sampler.request(flights[a].state, queue, a);
    }
    const nfe::count network = score_round(sampler, score, queue, scratch,
                                           [&](std::size_t a) -> typename Sampler::state& { return flights[a].state; });
    result.network.calls += network.calls;
    result.network.rows += network.rows;
    for (std::size_t a = 0; a < flights.size(); ++a)
      flights[a].cost += cost_of(queue, flights[a].first_row, a + 1 < flights.size() ? flights[a + 1].first_row : queue.rows(),
                                 score.rows_taken());

    std::size_t kept = 0;
    for (std::size_t a = 0; a < flights.size(); ++a) {
      std::optional<stop_reason> end;
      do end = advance(flights[a]);
      while (!end && ready_now(sampler, flights[a].state));
      if (end) {
        free_slots.push_back(flights[a].slot);
        continue;
      }
      if (kept != a) flights[kept] = std::move(flights[a]);
      ++kept;
    }
    flights.erase(flights.begin() + static_cast<std::ptrdiff_t>(kept), flights.end());
  }
  return result;
}

/// One canvas. Throws model_error if it cannot be decoded.
template <drivable_model Model, sampler_for<Model> Sampler, observer... Observers>
decode_result decode(Model& model, canvas start, const Sampler& sampler, std::uint64_t seed = 0, Observers&&... observers) {
  const job one{std::move(start), 0, unlimited};
  batch_result result = decode(model, std::span{&one, 1}, sampler, decode_options{seed, unlimited}, observers...);
  if (result.rows.front().reason == stop_reason::error) throw model_error(result.rows.front().error);
  return std::move(result.rows.front());
}

/// Many canvases, row i with random stream i.
template <drivable_model Model, sampler_for<Model> Sampler, observer... Observers>
batch_result decode(Model& model, std::span<const canvas> starts, const Sampler& sampler, const decode_options& options = {},
                    Observers&&... observers) {
  const std::vector<job> jobs = jobs_of(starts);
  return decode(model, std::span<const job>{jobs}, sampler, options, observers...);
}

}  // namespace lacuna
