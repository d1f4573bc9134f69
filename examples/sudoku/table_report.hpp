/// @file
/// @brief How `sudoku table` shows its lines: columns or JSON, paired differences, what is due to what, and a picture.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <string>
#include <vector>

#include "lacuna/sample/trade_off_picture.hpp"
#include "measurement.hpp"

namespace sudoku {

/// A guided line against another on the same puzzles.
struct compared {
  std::string sampler, other;
  std::string what;  ///< "lambda" for the same budget without information, "passes" for an entropy bound of as many passes
  difference solved, passes;
  std::size_t puzzles = 0;
};
compared compare(const measurement& guided, const measurement& other, const std::string& what);

class table_report {
 public:
  table_report(std::ostream& out, bool json) : out_{&out}, json_{json} {}

  void head(double temperature);
  /// A line; `family` is the curve of the picture to which it belongs, none if it is empty.
  void row(const measurement& m, const std::string& family);
  void row(const compared& c);
  /// What the differences since the last head come to.
  void verdict();

  [[nodiscard]] const std::vector<lacuna::sample::trade_off>& curves() const { return curves_; }

 private:
  std::ostream* out_;
  bool json_;
  double temperature_ = 0;
  std::vector<compared> compared_;
  std::vector<lacuna::sample::trade_off> curves_;
};

}  // namespace sudoku
