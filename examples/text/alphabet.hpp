/// @file
/// @brief The 27 symbols of the texts, a to z and the space, as tokens; a 28th token is the mask.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lacuna/core/errors.hpp"
#include "lacuna/core/token.hpp"

namespace text {

inline constexpr std::size_t symbol_count = 27;
inline constexpr lacuna::token mask = 27;
inline constexpr std::size_t vocabulary_size = 28;
inline constexpr lacuna::token space = 0;

/// Whether a character is one of the symbols.
constexpr bool is_symbol(char c) { return c == ' ' || (c >= 'a' && c <= 'z'); }

/// The token of a symbol.
constexpr lacuna::token token_of(char c) { return c == ' ' ? space : static_cast<lacuna::token>(c - 'a' + 1); }

/// The symbol of a token; `_` for the mask.
constexpr char symbol_of(lacuna::token t) { return t == space ? ' ' : t == mask ? '_' : static_cast<char>('a' + t - 1); }

/// Throws lacuna::invalid_argument, naming the place, for a character that is no symbol.
inline std::vector<lacuna::token> tokens_of(std::string_view symbols) {
  std::vector<lacuna::token> tokens;
  tokens.reserve(symbols.size());
  for (const char c : symbols) {
    if (!is_symbol(c))
      throw lacuna::invalid_argument("text: character " + std::to_string(tokens.size()) + " has code " +
                                     std::to_string(static_cast<unsigned char>(c)) + ", expected a to z or a space");
    tokens.push_back(token_of(c));
  }
  return tokens;
}

inline std::string string_of(std::span<const lacuna::token> tokens) {
  std::string s;
  s.reserve(tokens.size());
  for (const lacuna::token t : tokens) s += symbol_of(t);
  return s;
}

}  // namespace text
