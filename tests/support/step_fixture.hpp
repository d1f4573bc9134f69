/// @file
/// @brief Step views made by hand: owns the arrays a step_view looks at, and plays the part of the sampling loop for policies
/// whose model says the same at every step.
#pragma once

#include <cstddef>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "lacuna/concepts/order_policy.hpp"
#include "lacuna/concepts/remask_policy.hpp"
#include "lacuna/core/canvas.hpp"
#include "lacuna/core/row.hpp"
#include "lacuna/core/selection.hpp"
#include "lacuna/core/step_view.hpp"

namespace lacuna::testing {

/// The model's opinion of each position [L], the canvas, and the packed arrays of the present step.
struct step_fixture {
  canvas sequence;
  std::size_t step = 0;
  std::size_t masked_at_start = 0;
  time_step time{};
  double remask_rate = 0;

  // by position, [L]; empty ones stay absent from the view
  std::vector<double> confidence;
  std::vector<double> margin;
  std::vector<double> entropy;
  std::vector<token> drawn;
  std::vector<double> drawn_log_probability;
  std::vector<std::vector<double>> log_p;

  /// All masked positions of `start` are candidates.
  explicit step_fixture(canvas start)
      : sequence{std::move(start)},
        masked_at_start{sequence.count(cell::masked)},
        drawn(sequence.size(), 0),
        drawn_log_probability(sequence.size(), 0.0) {}
  explicit step_fixture(std::size_t length) : step_fixture(canvas::blank(length)) {}

  /// Every statistic from rows of probabilities [L][V]; the drawn token is the most likely one.
  static step_fixture from_rows(const std::vector<std::vector<double>>& p) {
    step_fixture f(p.size());
    for (std::size_t i = 0; i < p.size(); ++i) f.set_row(i, p[i]);
    return f;
  }

  void set_row(std::size_t i, const std::vector<double>& p) {
    for (auto* v : {&confidence, &margin, &entropy}) v->resize(sequence.size());
    log_p.resize(sequence.size());
    log_p[i].resize(p.size());
    for (std::size_t v = 0; v < p.size(); ++v) log_p[i][v] = std::log(p[v]);
    const auto s = statistics_of<statistics::confidence | statistics::margin | statistics::entropy>(log_p[i]);
    confidence[i] = s.confidence;
    margin[i] = s.margin;
    entropy[i] = s.entropy;
    drawn[i] = argmax(log_p[i]);
    drawn_log_probability[i] = log_p[i][static_cast<std::size_t>(drawn[i])];
  }

  /// Packs the given positions, or all masked ones, and shows them.
  step_view view(const std::vector<std::size_t>& candidates) {
    positions_ = candidates;
    for (auto* v : {&confidences_, &margins_, &entropies_, &drawn_log_p_, &rows_}) v->clear();
    drawn_.clear();
    slots_.clear();
    for (const std::size_t i : positions_) {
      slots_.push_back(slots_.size());
      drawn_.push_back(drawn[i]);
      drawn_log_p_.push_back(drawn_log_probability[i]);
      if (!confidence.empty()) confidences_.push_back(confidence[i]);
      if (!margin.empty()) margins_.push_back(margin[i]);
      if (!entropy.empty()) entropies_.push_back(entropy[i]);
      if (!log_p.empty()) rows_.insert(rows_.end(), log_p[i].begin(), log_p[i].end());
    }
    step_view v;
    v.sequence = &sequence;
    v.step = step;
    v.masked_at_start = masked_at_start;
    v.masked_now = sequence.count(cell::masked);
    v.vocabulary = log_p.empty() ? 0 : log_p.front().size();
    v.positions = positions_;
    v.drawn = drawn_;
    v.drawn_log_probability = drawn_log_p_;
    v.confidences = confidences_;
    v.margins = margins_;
    v.entropies = entropies_;
    v.slots = slots_;
    v.rows = rows_;
    v.time = time;
    v.remask_rate = remask_rate;
    return v;
  }
  step_view view() { return view(masked()); }

  [[nodiscard]] std::vector<std::size_t> masked() const { return in_state(cell::masked); }
  [[nodiscard]] std::vector<std::size_t> committed() const { return in_state(cell::committed); }

 private:
  [[nodiscard]] std::vector<std::size_t> in_state(cell state) const {
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < sequence.size(); ++i)
      if (sequence.cells()[i] == state) found.push_back(i);
    return found;
  }

  std::vector<std::size_t> positions_;
  std::vector<std::size_t> slots_;
  std::vector<token> drawn_;
  std::vector<double> drawn_log_p_;
  std::vector<double> confidences_;
  std::vector<double> margins_;
  std::vector<double> entropies_;
  std::vector<double> rows_;
};

/// The candidates as positions that order P would unmask now, in its order of choice.
template <order_policy P>
std::vector<std::size_t> choose(const P& p, step_fixture& f, memory_of<P>& memory, std::uint64_t seed = 1) {
  std::vector<std::size_t> candidates = f.masked();
  if constexpr (restricting_order_policy<P>) p.restrict_to(f.sequence, memory, candidates);
  const step_view view = f.view(candidates);
  selection out;
  out.reset(view.size());
  select(p, view, memory, out, step_random{seed, stream_use::order, 0, f.step});
  std::vector<std::size_t> positions;
  for (const std::size_t k : out.chosen()) positions.push_back(view.positions[k]);
  return positions;
}
template <order_policy P>
std::vector<std::size_t> choose(const P& p, step_fixture& f, std::uint64_t seed = 1) {
  memory_of<P> memory{};
  return choose(p, f, memory, seed);
}

/// Decodes to the end, without remasking; the positions committed in each step. Throws if a step commits nothing.
template <order_policy P>
std::vector<std::vector<std::size_t>> run_to_the_end(const P& p, step_fixture& f, std::uint64_t seed = 1) {
  memory_of<P> memory{};
  std::vector<std::vector<std::size_t>> steps;
  while (f.sequence.count(cell::masked) > 0) {
    steps.push_back(choose(p, f, memory, seed));
    if (steps.back().empty()) throw std::logic_error("an order revealed nothing");
    for (const std::size_t i : steps.back()) f.sequence.commit(i, f.drawn[i]);
    ++f.step;
  }
  return steps;
}

/// How many positions each step of a run revealed.
inline std::vector<std::size_t> counts_of(const std::vector<std::vector<std::size_t>>& steps) {
  std::vector<std::size_t> counts;
  for (const auto& step : steps) counts.push_back(step.size());
  return counts;
}

}  // namespace lacuna::testing
