/// @file
/// @brief What several tests of the Sudoku example need: puzzles, models whose behaviour is known, a tiny network in a file.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "../../../examples/sudoku/command.hpp"
#include "../../../examples/sudoku/grid.hpp"
#include "../../../examples/sudoku/model.hpp"
#include "../../../examples/sudoku/puzzle_file.hpp"
#include "../../../examples/sudoku/puzzle_pool.hpp"
#include "../../../examples/sudoku/train.hpp"
#include "../../io/scratch_file.hpp"

namespace sudoku_test {

inline const std::string puzzle_text = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";
inline const std::string solution_text = "534678912672195348198342567859761423426853791713924856961537284287419635345286179";

/// Puzzles with solutions, a different number of blanks each.
inline std::vector<sudoku::puzzle> some_puzzles(std::size_t count = 5) {
  std::vector<sudoku::puzzle> puzzles;
  for (const sudoku::solved_puzzle& p : sudoku::generate_pool(count, 2, {})) puzzles.push_back({p.givens, p.solution});
  for (std::size_t k = 0; k < count; ++k)
    for (std::size_t cell = 0; cell < 3 * k; ++cell) puzzles[k].givens[cell] = (*puzzles[k].solution)[cell];
  return puzzles;
}

/// Calls `row(grid, cell, logits)` for each wanted cell.
template <class Row>
sudoku::model model_of(Row row) {
  return sudoku::model{[row](const lacuna::token_batch& x, std::span<const std::size_t> wanted, lacuna::row_sink sink) {
    for (std::size_t k = 0; k < wanted.size(); ++k) {
      sudoku::grid g{};
      for (std::size_t cell = 0; cell < sudoku::cell_count; ++cell)
        g[cell] = static_cast<std::int8_t>(x(wanted[k] / sudoku::cell_count, cell));
      std::array<float, sudoku::vocabulary_size> logits{};
      row(g, wanted[k] % sudoku::cell_count, logits);
      sink(k, logits);
    }
  }};
}

/// Knows the solutions of the puzzles, and is the surer of a cell the later it comes.
inline sudoku::model oracle(const std::vector<sudoku::puzzle>& puzzles) {
  return model_of([puzzles](const sudoku::grid& g, std::size_t cell, auto& logits) {
    for (const sudoku::puzzle& p : puzzles)
      if (sudoku::keeps_givens(g, *p.solution))
        logits[static_cast<std::size_t>((*p.solution)[cell])] = 12 + 0.1F * static_cast<float>(cell);
    logits[sudoku::blank] = 100;  // must not be drawn
  });
}

/// Knows nothing: logits that depend on the whole grid and the cell, in no way that makes sense.
inline sudoku::model scrambled() {
  return model_of([](const sudoku::grid& g, std::size_t cell, auto& logits) {
    std::uint64_t h = cell + 1;
    for (const std::int8_t digit : g) h = (h ^ static_cast<std::uint64_t>(digit + 1)) * 0x9E3779B97F4A7C15U;
    for (float& logit : logits) {
      h ^= h >> 29U;
      h *= 0xBF58476D1CE4E5B9U;
      logit = static_cast<float>(h >> 40U) / static_cast<float>(1U << 22U);  // 0 to 4
    }
  });
}

/// The model with hidden states of 96 numbers that say nothing.
inline sudoku::model with_hidden_states(sudoku::model m) {
  return {[m](const lacuna::token_batch& x, std::span<const std::size_t> wanted, lacuna::row_sink sink) mutable {
            m(x, wanted, sink);
          },
          0, 96,
          [m](const lacuna::token_batch& x, std::span<const std::size_t> wanted, lacuna::row_sink logits,
              lacuna::row_sink hidden) mutable {
            m(x, wanted, logits);
            const std::array<float, 96> nothing{};
            for (std::size_t k = 0; k < wanted.size(); ++k) hidden(k, nothing);
          }};
}

inline std::string text_of(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Options of a training run that takes no time, with all its files in that folder.
inline sudoku::train_options small_run(const std::filesystem::path& folder) {
  std::ofstream(folder / "evaluation.csv") << puzzle_text << "\n";
  sudoku::train_options options;
  options.steps = 6;
  options.batch = 4;
  options.size = {.width = 8, .depth = 1, .heads = 4};
  options.puzzles = 20;
  options.evaluation = (folder / "evaluation.csv").string();
  options.out = (folder / "model.safetensors").string();
  return options;
}

/// What the program made of its arguments.
struct ran {
  int code;
  std::string out, err;
};
inline ran run(std::vector<std::string> arguments, const std::string& input = {}) {
  std::vector<const char*> argv{"sudoku"};
  for (const std::string& a : arguments) argv.push_back(a.c_str());
  std::istringstream in(input);
  std::ostringstream out, err;
  const int code = sudoku::run_command(static_cast<int>(argv.size()), argv.data(), {in, out, err});
  return {code, out.str(), err.str()};
}

/// The file of a network of the right kind that has learned nothing.
inline const std::string& untrained_weights() {
  static const lacuna_test::scratch_file file{"untrained"};
  static const std::string path = [] {
    sudoku::train_options options = small_run(file.folder());
    options.steps = 1;
    options.average = 0;
    std::ostringstream log;
    sudoku::train(options, log);
    return options.out;
  }();
  return path;
}

}  // namespace sudoku_test
