/// @file
/// @brief What `sudoku decode` shows: a grid filling in, a table of samplers, a JSON line for each.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <span>
#include <string>

#include "decode_puzzles.hpp"
#include "lacuna/sample/result.hpp"
#include "puzzle_file.hpp"
#include "samplers.hpp"

namespace sudoku {

/// A puzzle, the pass that filled each cell, and the result, side by side.
void show_filling(std::ostream& out, const puzzle& p, const lacuna::decode_result& result);

/// A table of samplers, with standard errors over puzzles.
class sampler_table {
 public:
  /// Writes the head; the samplers are those that rows will be of.
  sampler_table(std::ostream& out, std::span<const named_sampler> samplers);
  void row(const named_sampler& sampler, const decoded_puzzles& decoded);

 private:
  std::ostream* out_;
  std::size_t width_;  // of the column of samplers
};

/// {"sampler", its parameters…, "puzzles", "passes", "solved", "valid", "seconds", "probe_calls", "probe_rows",
/// "network_seconds", "estimator_seconds"}: puzzles, solved and valid are counts, passes and probes means over puzzles (probe
/// rows also count guesses), seconds those of all.
void write_json_line(std::ostream& out, const named_sampler& sampler, const decoded_puzzles& decoded);

}  // namespace sudoku
