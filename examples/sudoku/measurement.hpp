/// @file
/// @brief What a sampler did with puzzles, one by one, and two samplers compared on the same puzzles.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "../common/text_table.hpp"
#include "decode_puzzles.hpp"

namespace sudoku {

using namespace common;

/// Numbers stand by puzzle; seconds are those of all puzzles together.
struct measurement {
  std::string sampler;         ///< named_sampler::text()
  std::vector<double> solved;  ///< 1 or 0
  std::vector<double> passes, probe_calls, probe_rows;
  double seconds = 0, network_seconds = 0, estimator_seconds = 0;

  [[nodiscard]] std::size_t size() const { return solved.size(); }
};

inline measurement measurement_of(std::string sampler, const decoded_puzzles& d) {
  return {std::move(sampler), {d.solved_each.begin(), d.solved_each.end()},
          d.passes,           d.probe_calls,
          d.probe_rows,       d.seconds,
          d.network_seconds,  d.estimator_seconds};
}

/// Of the first `count` puzzles alone; seconds are taken to be spread evenly.
inline measurement first_of(measurement m, std::size_t count) {
  if (m.size() <= count) return m;
  const double share = static_cast<double>(count) / static_cast<double>(m.size());
  for (auto* numbers : {&m.solved, &m.passes, &m.probe_calls, &m.probe_rows}) numbers->resize(count);
  for (double* seconds : {&m.seconds, &m.network_seconds, &m.estimator_seconds}) *seconds *= share;
  return m;
}

/// A mean difference and its standard error.
struct difference {
  double mean = 0, error = 0;

  /// More than two standard errors.
  [[nodiscard]] bool beyond_noise() const { return mean > 2 * error || -mean > 2 * error; }
};

/// Of two lists of numbers for the same puzzles, as far as both go: a - b, the error that of the differences.
inline difference paired_difference(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> d(std::min(a.size(), b.size()));
  for (std::size_t k = 0; k < d.size(); ++k) d[k] = a[k] - b[k];
  return {mean(d), standard_error(d)};
}

}  // namespace sudoku
