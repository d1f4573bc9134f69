/// @file
/// @brief trace: everything that happened to a row, step by step.
///
/// Written by trace_recorder; read by trace_json, trace_picture and analyses of one's own. Complete: the canvas after any
/// number of steps can be had from it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "lacuna/core/canvas.hpp"
#include "lacuna/core/cost.hpp"
#include "lacuna/core/token.hpp"

namespace lacuna::sample {

/// One step of one row.
struct trace_step {
  std::vector<std::size_t> committed;  ///< positions unmasked, in the order of choice
  std::vector<token> tokens;           ///< their tokens
  std::vector<double> confidence;      ///< probability the model gave each of them
  std::vector<std::size_t> remasked;   ///< positions masked again
  std::vector<std::size_t> closed;     ///< positions closed by an end of sequence, ascending
  token end = 0;                       ///< the token that closed positions hold, if there are any
  nfe cost;                            ///< of the row, after this step
  std::vector<std::size_t>
      redrawn{};  ///< positions of `committed` whose draft was refused; the drafts of the others were taken
};

/// One row: where it began and every step from 0.
struct trace {
  canvas start;
  std::vector<trace_step> steps;

  /// The canvas after `n` steps (all of them if there are not as many).
  [[nodiscard]] canvas after(std::size_t n) const {
    canvas c = start;
    for (std::size_t s = 0; s < std::min(n, steps.size()); ++s) {
      const trace_step& step = steps[s];
      for (std::size_t j = 0; j < step.committed.size(); ++j) c.commit(step.committed[j], step.tokens[j]);
      for (const std::size_t i : step.remasked) c.mask(i);
      for (const std::size_t i : step.closed) c.close(i, step.end);
    }
    return c;
  }
};

}  // namespace lacuna::sample
