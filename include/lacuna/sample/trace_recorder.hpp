/// @file
/// @brief trace_recorder: an observer that keeps everything that happens, for every row.
///
/// ```cpp
/// lacuna::sample::trace_recorder recorder;
/// lacuna::decode(model, canvases, sampler, {.seed = 1}, recorder);
/// recorder.row(0).steps[3].committed;   // positions unmasked in the fourth step
/// recorder.row(0).after(4);             // the canvas then
/// ```
/// Time and memory O(L) a step and row. Can be used for several runs, one after the other: a row that starts again begins a new
/// trace.
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "lacuna/concepts/observer.hpp"
#include "lacuna/core/canvas.hpp"
#include "lacuna/sample/trace.hpp"

namespace lacuna::sample {

class trace_recorder {
 public:
  void start(std::size_t row, const canvas& c) {
    if (row >= traces_.size()) {
      traces_.resize(row + 1);
      closed_.resize(row + 1);
    }
    traces_[row] = trace{c, {}};
    closed_[row] = c.count(cell::closed);
  }

  void operator()(const step_event& e) {
    trace_step step;
    step.committed.assign(e.committed.begin(), e.committed.end());
    for (const std::size_t i : e.committed) step.tokens.push_back((*e.sequence)[i]);
    step.confidence.assign(e.confidence.begin(), e.confidence.end());
    step.remasked.assign(e.remasked.begin(), e.remasked.end());
    step.redrawn.assign(e.redrawn.begin(), e.redrawn.end());
    step.cost = *e.cost;
    trace& row = traces_.at(e.row);
    if (const std::size_t closed = e.sequence->count(cell::closed); closed != closed_[e.row]) {
      const canvas before = row.after(row.steps.size());
      for (std::size_t i = 0; i < e.sequence->size(); ++i)
        if (e.sequence->cells()[i] == cell::closed && before.cells()[i] != cell::closed) {
          step.closed.push_back(i);
          step.end = (*e.sequence)[i];
        }
      closed_[e.row] = closed;
    }
    row.steps.push_back(std::move(step));
  }

  /// All rows seen so far, by their index in the call of decode.
  [[nodiscard]] std::span<const trace> rows() const { return traces_; }
  /// One of them.
  [[nodiscard]] const trace& row(std::size_t r) const { return traces_.at(r); }

 private:
  std::vector<trace> traces_;
  std::vector<std::size_t> closed_;  // number of closed positions by row
};

}  // namespace lacuna::sample
