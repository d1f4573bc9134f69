/// @file
/// @brief Problems in files of JSON lines, {"question": …, "answer": …}, as GSM8K has them; and problems that are made.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "lacuna/core/token.hpp"
#include "words.hpp"

namespace arithmetic {

/// A problem as it is learned or solved.
struct example {
  std::string question;
  std::vector<lacuna::token> row;  ///< [row_length]
  long answer = 0;
};

struct examples {
  std::vector<example> all;
  std::size_t skipped = 0;  ///< too long for a row, or without a whole number as the answer
};

/// Made from a seed.
examples make_examples(const tokeniser& words, std::uint64_t seed, bool test, std::size_t count);

/// Those of a file that fit. Throws lacuna::file_error for a file that cannot be read, a line that is no problem, and one of
/// which nothing fits.
examples read_examples(const tokeniser& words, const std::string& path);

/// Stands for problems and their solutions.
std::string fingerprint_of(const std::vector<example>& all);

}  // namespace arithmetic
