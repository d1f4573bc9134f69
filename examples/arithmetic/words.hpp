/// @file
/// @brief The tokens of word problems: words, numbers and signs.
///
/// A number up to largest_number is one token: in digits a network of this size learns to copy and to add several times as
/// slowly. Words that are not listed and larger numbers become <unk>.
#pragma once

#include <cctype>
#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lacuna/core/token.hpp"

namespace arithmetic {

inline constexpr lacuna::token pad = 0;      ///< fills up, and is decoded as any other
inline constexpr lacuna::token unknown = 1;  ///< a word that is not listed
inline constexpr long largest_number = 199;

/// What the problems of problem.cpp are made of.
inline constexpr std::string_view listed_words =
    "<< >> = + - * / #### . ? "
    "so then now next "
    "tom anna ben lucy sam mia leo nora max ella jack rosa "
    "apples pears books pens stamps shells marbles cards eggs stickers beads cookies balls roses "
    "boxes bags baskets jars packs bowls crates shelves "
    "red blue green white old new big small "
    "a the of and with each in on has have buys finds gets gives loses sells takes brings owns keeps holds "
    "there are is at home also more another to from away out for friend teacher "
    "puts all them equally into shares among friends how many does do they left altogether total "
    "one costs coins times as what price number evening later after that shop market school "
    "some other cost get put taken";

class tokeniser {
 public:
  tokeniser() {
    add("<pad>");
    add("<unk>");
    for (long n = 0; n <= largest_number; ++n) add(std::to_string(n));
    for (const std::string& word : split(listed_words)) add(word);
  }

  /// Those that are listed and the mask.
  [[nodiscard]] std::size_t vocabulary_size() const { return words_.size() + 1; }
  [[nodiscard]] lacuna::token mask() const { return static_cast<lacuna::token>(words_.size()); }

  /// Words, numbers and signs; capitals become small, all that is no letter, digit or sign is left out.
  [[nodiscard]] std::vector<lacuna::token> encode(std::string_view text) const {
    std::vector<lacuna::token> tokens;
    for (const std::string& word : split(text)) {
      const auto at = numbers_.find(word);
      tokens.push_back(at == numbers_.end() ? unknown : at->second);
    }
    return tokens;
  }

  /// The pads at the beginning and at the end are left out.
  [[nodiscard]] std::string decode(std::span<const lacuna::token> tokens) const {
    std::string text;
    while (!tokens.empty() && tokens.back() == pad) tokens = tokens.first(tokens.size() - 1);
    while (!tokens.empty() && tokens.front() == pad) tokens = tokens.subspan(1);
    for (const lacuna::token t : tokens) {
      if (!text.empty()) text += ' ';
      text += t == mask() ? "_" : words_.at(static_cast<std::size_t>(t));
    }
    return text;
  }

  [[nodiscard]] const std::string& word(lacuna::token t) const { return words_.at(static_cast<std::size_t>(t)); }

  /// The pieces of a text; a comma between digits of a number is left out.
  static std::vector<std::string> split(std::string_view text) {
    std::vector<std::string> pieces;
    const auto digit = [](char c) { return c >= '0' && c <= '9'; };
    const auto letter = [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; };
    for (std::size_t i = 0; i < text.size();) {
      const std::string_view rest = text.substr(i);
      if (letter(text[i]) || (text[i] == '<' && rest.size() > 2 && letter(rest[1]))) {
        std::size_t end = 1;
        while (end < rest.size() &&
               (letter(rest[end]) || rest[end] == '>' || (rest[end] == '\'' && end + 1 < rest.size() && letter(rest[end + 1]))))
          ++end;
        std::string word{rest.substr(0, end)};
        if (word.front() != '<' && word.back() == '>') word = word.substr(0, end = word.find('>'));
        for (char& c : word) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        pieces.push_back(word);
        i += end;
      } else if (rest.starts_with("<<") || rest.starts_with(">>")) {
        pieces.emplace_back(rest.substr(0, 2));
        i += 2;
      } else if (rest.starts_with("####")) {
        pieces.emplace_back("####");
        i += 4;
      } else if (digit(text[i])) {
        std::string number;
        for (; i < text.size() && (digit(text[i]) || (text[i] == ',' && i + 1 < text.size() && digit(text[i + 1]))); ++i)
          if (digit(text[i])) number += text[i];
        pieces.push_back(number);
      } else {
        if (std::string_view{"=+-*/.?"}.find(text[i]) != std::string_view::npos) pieces.emplace_back(1, text[i]);
        ++i;
      }
    }
    return pieces;
  }

 private:
  void add(const std::string& word) {
    if (numbers_.emplace(word, static_cast<lacuna::token>(words_.size())).second) words_.push_back(word);
  }

  std::vector<std::string> words_;
  std::map<std::string, lacuna::token, std::less<>> numbers_;
};

}  // namespace arithmetic
