/// @file
/// @brief Decodes puzzles with a sampler and judges the grids.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "grid.hpp"
#include "lacuna/sample/any_sampler.hpp"
#include "lacuna/sample/decode.hpp"
#include "lacuna/sample/trace_recorder.hpp"
#include "model.hpp"
#include "puzzle_file.hpp"
#include "samplers.hpp"

namespace sudoku {

/// What a sampler made of puzzles.
struct decoded_puzzles {
  std::vector<grid> grids;
  std::vector<double> passes;       ///< by puzzle
  std::vector<double> probe_calls;  ///< by puzzle: calls for probes, beside the passes
  std::vector<double> probe_rows;   ///< by puzzle: grids scored in them, and as guesses beside the first of a pass
  std::size_t solved = 0;           ///< valid, the givens kept, and equal to the puzzle's solution where it has one
  std::size_t valid = 0;            ///< every row, column and box holds each digit once
  std::vector<bool> solved_each;    ///< by puzzle
  double seconds = 0;
  double network_seconds = 0;    ///< of these in the network, for passes and probes
  double estimator_seconds = 0;  ///< of these in a trained estimator
};

/// Whether the answer is counted as solved.
bool solves(const puzzle& p, const grid& answer);

/// One decoded row as a grid; a cell that was left out is blank.
grid grid_of(const lacuna::decode_result& row);

/// Decodes all puzzles. Draws are keyed by what a puzzle is, and by how many equal ones come before it, not by its place: the
/// grids do not depend on order, batches or threads. Throws lacuna::model_error if the model scores no cell of some puzzle.
decoded_puzzles decode_puzzles(model& m, const lacuna::sample::any_hidden_sampler& sampler, std::span<const puzzle> puzzles,
                               const lacuna::decode_options& options = {0, 64});

/// The same for a named sampler, which knows whether its probes count as passes (they are probes all the same), and the time
/// spent in its estimator.
decoded_puzzles decode_puzzles(model& m, const named_sampler& sampler, std::span<const puzzle> puzzles,
                               const lacuna::decode_options& options = {0, 64});

/// Decodes one puzzle, as decode_puzzles does if it comes first, and records every step.
lacuna::decode_result decode_traced(model& m, const lacuna::sample::any_hidden_sampler& sampler, const puzzle& p,
                                    std::uint64_t seed, lacuna::sample::trace_recorder& recorder);

}  // namespace sudoku
