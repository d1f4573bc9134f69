/// @file
/// @brief Measures samplers by name on puzzles, each once.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "estimator_slot.hpp"
#include "lacuna/sample/decode.hpp"
#include "measurement.hpp"
#include "model.hpp"
#include "puzzle_file.hpp"
#include "results_file.hpp"

namespace sudoku {

class bench {
 public:
  /// Refers to all of them.
  bench(model& m, std::span<const puzzle> puzzles, estimator_slot& slot, results_file& results, lacuna::decode_options options)
      : model_{&m}, puzzles_{puzzles}, slot_{&slot}, results_{&results}, options_{options} {}

  /// The sampler on the first `count` puzzles, or on all there are.
  measurement measure(const std::string& sampler, std::size_t count);

 private:
  model* model_;
  std::span<const puzzle> puzzles_;
  estimator_slot* slot_;
  results_file* results_;
  lacuna::decode_options options_;
};

/// An entropy bound, in the text of a sampler, that takes about as many passes as that measurement: the gamma of three digits
/// that came closest on the first `count` puzzles within ten tries, or the first within a hundredth of the passes.
std::string entropy_bound_with_passes_of(bench& b, const measurement& m, double temperature, std::size_t count);

}  // namespace sudoku
