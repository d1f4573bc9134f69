#include "decode_puzzles.hpp"

#include <chrono>
#include <map>
#include <string>
#include <utility>

#include "../common/fingerprint.hpp"
#include "check.hpp"
#include "lacuna/core/canvas.hpp"
#include "lacuna/core/errors.hpp"
#include "lacuna/core/token.hpp"
#include "timed_model.hpp"

namespace sudoku {

using namespace common;
namespace {

/// A number that stands for the givens.
std::uint64_t hash(const grid& givens) {
  fingerprint f;
  for (const std::int8_t digit : givens) f.add(static_cast<std::uint64_t>(digit));
  return f.number();
}

std::vector<lacuna::job> jobs_of(std::span<const puzzle> puzzles) {
  std::vector<lacuna::job> jobs;
  std::map<std::uint64_t, std::uint64_t> seen;
  for (const puzzle& p : puzzles) {
    const std::uint64_t h = hash(p.givens);
    jobs.push_back({lacuna::canvas::infill_where({p.givens.begin(), p.givens.end()}, blank), h + seen[h]++});
  }
  return jobs;
}

}  // namespace

bool solves(const puzzle& p, const grid& answer) {
  return is_solved(p.givens, answer) && (!p.solution || *p.solution == answer);
}

grid grid_of(const lacuna::decode_result& row) {
  grid answer{};
  for (std::size_t cell = 0; cell < cell_count; ++cell) answer[cell] = static_cast<std::int8_t>(row.tokens[cell]);
  return answer;
}

decoded_puzzles decode_puzzles(model& m, const lacuna::sample::any_hidden_sampler& sampler, std::span<const puzzle> puzzles,
                               const lacuna::decode_options& options) {
  const std::vector<lacuna::job> jobs = jobs_of(puzzles);
  const auto begin = std::chrono::steady_clock::now();
  timed_model timed{m};
  const lacuna::batch_result result = lacuna::decode(timed, std::span{jobs}, sampler, options);
  decoded_puzzles out;
  out.network_seconds = timed.seconds();
  out.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  for (std::size_t i = 0; i < puzzles.size(); ++i) {
    const lacuna::decode_result& row = result.rows[i];
    if (row.reason == lacuna::stop_reason::error) throw lacuna::model_error(row.error);
    const grid answer = grid_of(row);
    out.solved_each.push_back(solves(puzzles[i], answer));
    out.solved += out.solved_each.back() ? 1U : 0U;
    out.valid += is_valid(answer) ? 1U : 0U;
    const lacuna::nfe::count& probes = row.cost.of(lacuna::purpose::probe);
    out.passes.push_back(static_cast<double>(row.cost.calls() - probes.calls));
    out.probe_calls.push_back(static_cast<double>(probes.calls));
    const lacuna::nfe::count& guesses = row.cost.of(lacuna::purpose::verify);
    out.probe_rows.push_back(static_cast<double>(probes.rows + guesses.rows - guesses.calls));
    out.grids.push_back(answer);
  }
  return out;
}

decoded_puzzles decode_puzzles(model& m, const named_sampler& sampler, std::span<const puzzle> puzzles,
                               const lacuna::decode_options& options) {
  const auto in_estimator = [&] { return sampler.estimator_seconds ? *sampler.estimator_seconds : 0.0; };
  const double before = in_estimator();
  decoded_puzzles out = decode_puzzles(m, sampler.sampler, puzzles, options);
  out.estimator_seconds = in_estimator() - before;
  if (sampler.probes_are_passes)
    for (std::size_t k = 0; k < out.passes.size(); ++k) out.passes[k] += out.probe_calls[k];
  return out;
}

lacuna::decode_result decode_traced(model& m, const lacuna::sample::any_hidden_sampler& sampler, const puzzle& p,
                                    std::uint64_t seed, lacuna::sample::trace_recorder& recorder) {
  const std::vector<lacuna::job> jobs = jobs_of({&p, 1});
  lacuna::batch_result result = lacuna::decode(m, std::span{jobs}, sampler, lacuna::decode_options{seed, 1}, recorder);
  if (result.rows.front().reason == lacuna::stop_reason::error) throw lacuna::model_error(result.rows.front().error);
  return std::move(result.rows.front());
}

}  // namespace sudoku
