/// @file
/// @brief A Sudoku grid, and how two of its cells relate.
///
/// A grid is 81 digits in reading order; 0 is a blank, which is also the mask token of the models here (vocabulary: V = 10).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace sudoku {

inline constexpr std::size_t cell_count = 81;
inline constexpr std::size_t vocabulary_size = 10;
inline constexpr std::int8_t blank = 0;

using grid = std::array<std::int8_t, cell_count>;

constexpr std::size_t row_of(std::size_t cell) { return cell / 9; }
constexpr std::size_t column_of(std::size_t cell) { return cell % 9; }
constexpr std::size_t box_of(std::size_t cell) { return cell / 27 * 3 + cell % 9 / 3; }

/// The 27 units (nine rows, nine columns, nine boxes), nine cells each.
inline constexpr auto units = [] {
  std::array<std::array<std::size_t, 9>, 27> all{};
  std::array<std::size_t, 27> filled{};
  for (std::size_t cell = 0; cell < cell_count; ++cell) {
    for (const std::size_t unit : {row_of(cell), 9 + column_of(cell), 18 + box_of(cell)}) all[unit][filled[unit]++] = cell;
  }
  return all;
}();

/// What two cells share. A model may learn one attention bias for each.
enum class relation : std::uint8_t { none, same_row, same_column, same_box, box_and_row, box_and_column, itself };
inline constexpr std::size_t relation_count = 7;

constexpr relation relation_of(std::size_t a, std::size_t b) {
  const bool row = row_of(a) == row_of(b);
  const bool column = column_of(a) == column_of(b);
  const bool box = box_of(a) == box_of(b);
  if (row && column) return relation::itself;
  if (box) return row ? relation::box_and_row : column ? relation::box_and_column : relation::same_box;
  return row ? relation::same_row : column ? relation::same_column : relation::none;
}

/// Blanks of a grid.
constexpr std::size_t count_blanks(const grid& g) {
  std::size_t n = 0;
  for (const std::int8_t digit : g) n += digit == blank ? 1U : 0U;
  return n;
}

/// The 81 digits on one line, blanks as `.`.
inline std::string to_line(const grid& g) {
  std::string line(cell_count, '.');
  for (std::size_t cell = 0; cell < cell_count; ++cell) {
    if (g[cell] != blank) line[cell] = static_cast<char>('0' + g[cell]);
  }
  return line;
}

/// The grid of a line that is known to be well formed (81 characters of `.` and `0` to `9`); text from outside goes through
/// puzzle_file.hpp, which checks it.
constexpr grid from_line(std::string_view line) {
  grid g{};
  for (std::size_t cell = 0; cell < cell_count; ++cell) {
    g[cell] = line[cell] == '.' ? blank : static_cast<std::int8_t>(line[cell] - '0');
  }
  return g;
}

}  // namespace sudoku
