/// @file
/// @brief Problems as rows of tokens: the question, which is given, then the solution, which is decoded with the pads behind
/// it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lacuna/core/canvas.hpp"
#include "lacuna/core/token.hpp"
#include "problem.hpp"
#include "words.hpp"

namespace arithmetic {

inline constexpr std::size_t row_length = question_length + solution_length;

/// The question ends where the solution begins; what is before it is pad, and given.
inline std::optional<std::vector<lacuna::token>> row_of(const tokeniser& words, std::string_view question,
                                                        std::string_view solution) {
  const std::vector<lacuna::token> q = words.encode(question), s = words.encode(solution);
  if (q.size() > question_length || s.size() > solution_length) return {};
  std::vector<lacuna::token> row(row_length, pad);
  std::copy(q.begin(), q.end(), row.begin() + static_cast<std::ptrdiff_t>(question_length - q.size()));
  std::copy(s.begin(), s.end(), row.begin() + static_cast<std::ptrdiff_t>(question_length));
  return row;
}

/// The question fixed, the solution to be decoded.
inline lacuna::canvas canvas_of(const std::vector<lacuna::token>& row) {
  lacuna::canvas c = lacuna::canvas::blank(row.size());
  for (std::size_t i = 0; i < question_length; ++i) c.fix(i, row[i]);
  return c;
}

inline std::vector<std::size_t> solution_positions() {
  std::vector<std::size_t> all;
  for (std::size_t i = question_length; i < row_length; ++i) all.push_back(i);
  return all;
}

inline std::string solution_of(const tokeniser& words, std::span<const lacuna::token> row) {
  return words.decode(row.subspan(question_length));
}

}  // namespace arithmetic
