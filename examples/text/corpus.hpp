/// @file
/// @brief A text to learn from or to measure with, and rows of symbols cut out of it.
#pragma once

#include <cstddef>
#include <fstream>
#include <istream>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "alphabet.hpp"
#include "lacuna/core/errors.hpp"
#include "lacuna/core/random.hpp"
#include "normalise.hpp"

namespace text {

/// A file, or standard input for "-", normalised. Throws lacuna::file_error if it cannot be read or has fewer than `least`
/// symbols.
inline std::string read_text(const std::string& path, std::istream& in, std::size_t least) {
  std::string bytes;
  if (path == "-") {
    bytes.assign(std::istreambuf_iterator<char>(in), {});
  } else {
    std::ifstream file(path, std::ios::binary);
    bytes.assign(std::istreambuf_iterator<char>(file), {});
    if (!file || file.bad()) throw lacuna::file_error(path + ": cannot be read");
  }
  std::string symbols = normalised(bytes);
  if (symbols.size() < least)
    throw lacuna::file_error((path == "-" ? "standard input" : path) + ": " + std::to_string(symbols.size()) +
                             " symbols, expected at least " + std::to_string(least));
  return symbols;
}

/// Refers to the text. Row k of n of a given length begins where the text is cut into n equal pieces.
inline std::vector<lacuna::token> spread_row(std::string_view symbols, std::size_t length, std::size_t k, std::size_t n) {
  const std::size_t room = symbols.size() - length;
  return tokens_of(symbols.substr(n < 2 ? 0 : room / (n - 1) * k, length));
}

/// A row that begins anywhere.
inline std::vector<lacuna::token> random_row(std::string_view symbols, std::size_t length, lacuna::random_stream& random) {
  return tokens_of(symbols.substr(static_cast<std::size_t>(random.below(symbols.size() - length + 1)), length));
}

}  // namespace text
