/// @file
/// @brief Reads puzzles, one a line; refuses whatever it cannot read, with file, line and reason.
///
/// A line is a puzzle of 81 characters (digits, blanks as `.` or `0`), optionally `,` and its solution, optionally more
/// columns, which are ignored. A first line without a digit or dot in its first column is a header: if it names a `puzzle`
/// column, the columns it names `puzzle` and `solution` are read, wherever they stand. Line ends may be CRLF; empty lines are
/// allowed at the end. Refused, as lacuna::file_error: a wrong length, another character, givens that conflict, a solution
/// that is no solution, an empty line in the middle, a file that cannot be read or holds no puzzle.
#pragma once

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <fstream>
#include <iostream>
#include <istream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "check.hpp"
#include "grid.hpp"
#include "lacuna/core/errors.hpp"

namespace sudoku {

struct puzzle {
  grid givens{};
  std::optional<grid> solution;
};

namespace detail {

/// The columns of one line, without spaces around them.
inline std::vector<std::string_view> split(std::string_view line) {
  const auto trimmed = [](std::string_view text) {
    const std::size_t first = text.find_first_not_of(" \t\r");
    return first == std::string_view::npos ? std::string_view{}
                                           : text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
  };
  std::vector<std::string_view> columns;
  for (;;) {
    const std::size_t comma = line.find(',');
    columns.push_back(trimmed(line.substr(0, comma)));
    if (comma == std::string_view::npos) return columns;
    line.remove_prefix(comma + 1);
  }
}

inline bool same_word(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return std::tolower(static_cast<unsigned char>(c)); };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](char x, char y) { return lower(x) == lower(y); });
}

/// Where puzzle and solution stand in a line.
struct layout {
  std::size_t puzzle = 0;
  std::optional<std::size_t> solution = 1;
};

inline layout layout_of(const std::vector<std::string_view>& header) {
  const auto find = [&](std::string_view name) -> std::optional<std::size_t> {
    for (std::size_t k = 0; k < header.size(); ++k) {
      if (same_word(header[k], name)) return k;
    }
    return std::nullopt;
  };
  if (const auto named = find("puzzle")) return {*named, find("solution")};
  return {};
}

/// The first pair of equal digits in a unit, in words; empty if there is none.
inline std::string conflict_in(const grid& g) {
  for (std::size_t unit = 0; unit < units.size(); ++unit) {
    std::array<int, 10> count{};
    for (const std::size_t cell : units[unit]) {
      if (g[cell] == blank || ++count[static_cast<std::size_t>(g[cell])] < 2) continue;
      const std::string_view kind = unit < 9 ? "row" : unit < 18 ? "column" : "box";
      return std::string{kind} + ' ' + std::to_string(unit % 9 + 1) + " holds " + static_cast<char>('0' + g[cell]) + " twice";
    }
  }
  return {};
}

/// The grid that a column spells; `refuse(reason)` throws.
template <class Refuse>
grid parse(std::string_view text, std::string_view what, const Refuse& refuse) {
  for (std::size_t k = 0; k < text.size(); ++k) {
    if (text[k] == '.' || (text[k] >= '0' && text[k] <= '9')) continue;
    const bool printable = std::isprint(static_cast<unsigned char>(text[k])) != 0;
    refuse(std::string{what} + " has " +
           (printable ? std::string{'\'', text[k], '\''} : std::string{"a byte that is no text"}) + " as character " +
           std::to_string(k + 1) + ", expected a digit or '.'");
  }
  if (text.size() != cell_count) refuse(std::string{what} + " has " + std::to_string(text.size()) + " characters, expected 81");
  const grid g = from_line(text);
  if (const std::string conflict = conflict_in(g); !conflict.empty()) refuse(std::string{what} + ": " + conflict);
  return g;
}

}  // namespace detail

/// All puzzles of a stream; `name` is what messages call it.
inline std::vector<puzzle> read_puzzles(std::istream& in, std::string_view name) {
  std::vector<puzzle> puzzles;
  detail::layout layout;
  std::size_t number = 0;
  std::size_t empty_line = 0;
  const auto refuse = [&](const std::string& reason) {
    throw lacuna::file_error(std::string{name} + ':' + std::to_string(number) + ": " + reason);
  };
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (number == 1 && line.starts_with("\xEF\xBB\xBF")) line.erase(0, 3);  // the byte order mark of some spreadsheets
    const std::vector<std::string_view> columns = detail::split(line);
    if (columns.size() == 1 && columns[0].empty()) {
      if (empty_line == 0) empty_line = number;
      continue;
    }
    if (empty_line != 0) {
      number = empty_line;
      refuse("the line is empty, expected a puzzle");
    }
    if (number == 1 && !columns[0].empty() && columns[0].find_first_of(".0123456789") == std::string_view::npos) {
      layout = detail::layout_of(columns);
      continue;
    }
    if (columns.size() <= layout.puzzle) refuse("the line has no puzzle column");
    puzzle next;
    next.givens = detail::parse(columns[layout.puzzle], "the puzzle", refuse);
    if (layout.solution && columns.size() > *layout.solution && !columns[*layout.solution].empty()) {
      const grid solution = detail::parse(columns[*layout.solution], "the solution", refuse);
      if (count_blanks(solution) != 0) refuse("the solution has " + std::to_string(count_blanks(solution)) + " blanks");
      for (std::size_t cell = 0; cell < cell_count; ++cell) {
        if (next.givens[cell] == blank || next.givens[cell] == solution[cell]) continue;
        refuse("the solution changes the given in row " + std::to_string(row_of(cell) + 1) + ", column " +
               std::to_string(column_of(cell) + 1));
      }
      next.solution = solution;
    }
    puzzles.push_back(next);
  }
  if (in.bad()) throw lacuna::file_error(std::string{name} + ": cannot be read");
  if (puzzles.empty()) throw lacuna::file_error(std::string{name} + ": holds no puzzle");
  return puzzles;
}

/// All puzzles of a file; `-` is standard input.
inline std::vector<puzzle> read_puzzles(const std::string& path, std::istream& standard_input = std::cin) {
  if (path == "-") return read_puzzles(standard_input, "standard input");
  std::ifstream in(path);
  if (!in) throw lacuna::file_error(path + ": cannot be opened");
  return read_puzzles(in, path);
}

}  // namespace sudoku
