/// @file
/// @brief decode: runs a sampler on one canvas or on many that share the model's calls.
///
/// ```cpp
/// auto result = lacuna::decode(model, lacuna::canvas::blank(64), sampler, seed);
/// ```
/// A row's tokens, order and cost depend on its canvas, its stream and the seed only: not on its neighbours, on how many
/// rows share a call, or on threads. Rows of different lengths and at different stages go together; finished rows make room
/// for waiting ones. Everything is checked before the first pass (invalid_argument); a model that breaks its contract raises
/// model_error. In a batch, a row that cannot go on ends with reason `error` and the others continue.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "lacuna/concepts/model_facts.hpp"
#include "lacuna/concepts/observer.hpp"
#include "lacuna/core/errors.hpp"
#include "lacuna/sample/result.hpp"
#include "lacuna/sample/sampler.hpp"
#include "lacuna/sample/scorer.hpp"

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

inline void check_canvas(const canvas& c, const model_facts& facts, std::size_t row) {
  const std::string where = "decode: row " + std::to_string(row) + ": ";
  if (c.size() == 0) throw invalid_argument(where + "canvas of length 0, expected at least 1 position");
  if (facts.max_length && c.size() > *facts.max_length)
    throw invalid_argument(where + "canvas of length " + std::to_string(c.size()) + ", the model takes at most " +
                           std::to_string(*facts.max_length));
  for (std::size_t i = 0; i < c.size(); ++i)
    if (!c.is_masked(i) && (c[i] < 0 || static_cast<std::size_t>(c[i]) >= facts.vocabulary))
      throw invalid_argument(where + "token " + std::to_string(c[i]) + " at position " + std::to_string(i) +
                             ", expected 0 to " + std::to_string(facts.vocabulary - 1));
}

/// A row in flight.
template <class State>
struct flight {
  std::size_t row;
  State state;
  nfe cost;
  bool scored[4];
};

}  // namespace detail

template <decodable_model Model, sampler_for<Model> Sampler, observer... Observers>
requires(!wants_hidden<Sampler> || hidden_state_model<Model>) batch_result
    decode(Model& model, std::span<const job> jobs, const Sampler& sampler, const decode_options& options,
           Observers&&... observers) {
  const model_facts facts = facts_of(model);
  sampler.validate(facts);
  for (std::size_t r = 0; r < jobs.size(); ++r) detail::check_canvas(jobs[r].start, facts, r);
  if (options.rows_per_call == 0) throw invalid_argument("decode: rows_per_call = 0, expected at least 1");

  std::size_t width = 0;
  if constexpr (hidden_state_model<Model>) width = static_cast<std::size_t>(model.hidden_size());

  batch_result result;
  result.rows.resize(jobs.size());
  scorer<Model> score(model, facts, options.rows_per_call);
  scoring_queue queue;
  row_scratch scratch;
  using flight = detail::flight<typename Sampler::state>;
  std::vector<flight> flights;
  flights.reserve(std::min(jobs.size(), options.rows_per_call));

  const auto land = [&](flight& f, stop_reason reason, std::string error = {}) {
    decode_result& out = result.rows[f.row];
    const canvas& c = f.state.sequence();
    out.tokens.assign(c.tokens().begin(), c.tokens().end());
    for (std::size_t i = 0; i < c.size(); ++i)
      if (c.is_masked(i)) out.tokens[i] = facts.mask;
    out.cells.assign(c.cells().begin(), c.cells().end());
    const auto steps = f.state.commit_steps();
    out.step.assign(steps.begin(), steps.end());
    const auto confidences = f.state.commit_confidences();
    out.confidence.assign(confidences.begin(), confidences.end());
    out.steps = f.state.steps();
    out.cost = f.cost;
    out.reason = reason;
    out.error = std::move(error);
  };
  const auto reason_of = [&](const flight& f) {
    return f.state.ended() ? stop_reason::end_of_sequence : stop_reason::complete;
  };

  std::size_t next = 0;
  while (next < jobs.size() || !flights.empty()) {
    while (next < jobs.size() && flights.size() < options.rows_per_call) {
      const job& j = jobs[next];
      flight f{next, sampler.init(row_context{&facts, options.seed, j.stream, width}, j.start), {}, {}};
      ++next;
      if (sampler.done(f.state))
        land(f, reason_of(f));
      else if (j.max_steps == 0)
        land(f, stop_reason::budget);
      else
        flights.push_back(std::move(f));
    }

    queue.clear();
    for (std::size_t a = 0; a < flights.size(); ++a) sampler.request(flights[a].state, queue, a);
    for (flight& f : flights) std::fill(std::begin(f.scored), std::end(f.scored), false);
    for (std::size_t r = 0; r < queue.rows(); ++r) {
      flight& f = flights[queue.owner(r)];
      bool& scored = f.scored[static_cast<std::size_t>(queue.why(r))];
      nfe::count& cost = f.cost.of(queue.why(r));
      if (!scored) ++cost.calls;
      scored = true;
      ++cost.rows;
    }
    const auto take = [&](std::size_t r, std::size_t k, std::span<const float> logits) {
      sampler.take(flights[queue.owner(r)].state, r, k, logits, scratch);
    };
    nfe::count network;
    if (!queue.empty()) {
      if constexpr (wants_hidden<Sampler>)
        network = score.score_with_hidden(queue, take, [&](std::size_t r, std::size_t k, std::span<const float> h) {
          sampler.take_hidden(flights[queue.owner(r)].state, r, k, h);
        });
      else
        network = score.score(queue, take);
    }
    result.network.calls += network.calls;
    result.network.rows += network.rows;

    std::size_t kept = 0;
    for (std::size_t a = 0; a < flights.size(); ++a) {
      flight& f = flights[a];
      std::optional<stop_reason> end;
      std::string error;
      try {
        const std::size_t step = f.state.steps();
        const step_info info = sampler.advance(f.state);
        const step_event event{f.row, step, &f.state.sequence(), info.committed, info.confidence, info.remasked, &f.cost};
        const verdict v = notify(event, observers...);
        if (sampler.done(f.state))
          end = reason_of(f);
        else if (v == verdict::stop)
          end = stop_reason::observer;
        else if (f.state.steps() >= jobs[f.row].max_steps)
          end = stop_reason::budget;
      } catch (const model_error& e) {
        end = stop_reason::error;
        error = "row " + std::to_string(f.row) + ": " + e.what();
      }
      if (end)
        land(f, *end, std::move(error));
      else {
        if (kept != a) flights[kept] = std::move(f);
        ++kept;
      }
    }
    flights.erase(flights.begin() + static_cast<std::ptrdiff_t>(kept), flights.end());
  }
  return result;
}

/// One canvas. Throws model_error if it cannot be decoded.
template <decodable_model Model, sampler_for<Model> Sampler, observer... Observers>
decode_result decode(Model& model, canvas start, const Sampler& sampler, std::uint64_t seed = 0, Observers&&... observers) {
  const job one{std::move(start), 0, unlimited};
  batch_result result = decode(model, std::span{&one, 1}, sampler, decode_options{seed, unlimited}, observers...);
  if (result.rows.front().reason == stop_reason::error) throw model_error(result.rows.front().error);
  return std::move(result.rows.front());
}

/// Many canvases, row i with random stream i.
template <decodable_model Model, sampler_for<Model> Sampler, observer... Observers>
batch_result decode(Model& model, std::span<const canvas> starts, const Sampler& sampler, const decode_options& options = {},
                    Observers&&... observers) {
  const std::vector<job> jobs = jobs_of(starts);
  return decode(model, std::span<const job>{jobs}, sampler, options, observers...);
}

}  // namespace lacuna
