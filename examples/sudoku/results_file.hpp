/// @file
/// @brief Measurements kept in a file of JSON lines, so that a long comparison can be interrupted and gone on with.
///
/// A line is used again for what it was measured on only: the same network, estimator (where one is used) and puzzles, by their
/// contents, and the same seed. A last line that was cut off is dropped.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>

#include "measurement.hpp"
#include "puzzle_file.hpp"

namespace sudoku {

/// A text that stands for a file's contents; "none" if there is no such file.
std::string fingerprint_of(const std::string& file);

/// What measurements depend on beside the sampler.
struct measured_on {
  std::string network;
  std::string estimator;
  std::string puzzles;
  std::uint64_t seed = 0;
};

/// Stands for the puzzles.
std::string fingerprint_of(std::span<const puzzle> puzzles);

class results_file {
 public:
  /// Reads what there is; an empty path keeps measurements in memory alone. Throws lacuna::file_error for a file that is none
  /// of results, or cannot be read.
  results_file(std::string path, measured_on on);

  /// Of that sampler, and of at least so many puzzles; nullptr if there is none.
  [[nodiscard]] const measurement* find(const std::string& sampler, std::size_t count) const;

  /// Remembers it, and appends it to the file. Throws lacuna::file_error.
  const measurement& add(measurement m);

 private:
  void read_line(const std::string& line, std::size_t number);
  const measurement& keep(measurement m);
  [[nodiscard]] std::string estimator_of(const std::string& sampler) const;

  std::string path_;
  measured_on on_;
  std::map<std::string, measurement> kept_;  // by sampler, those of most puzzles
};

}  // namespace sudoku
