/// @file
/// @brief The tokens of word problems: words, single digits and signs.
///
/// Numbers are digits of their own, so that 24 is two tokens. Words that are not listed become <unk>.
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

/// What the problems of problem.cpp are made of.
inline constexpr std::string_view listed_words =
    "0 1 2 3 4 5 6 7 8 9 << >> = + - * / #### . ? "
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
    for (const std::string& word : split(listed_words)) add(word);
  }

  /// Those that are listed and the mask.
  [[nodiscard]] std::size_t vocabulary_size() const { return words_.size() + 1; }
  [[nodiscard]] lacuna::token mask() const { return static_cast<lacuna::token>(words_.size()); }

  /// Words, signs and digits one by one; capitals become small, all that is no letter, digit or sign is left out.
  [[nodiscard]] std::vector<lacuna::token> encode(std::string_view text) const {
    std::vector<lacuna::token> tokens;
    for (const std::string& word : split(text)) {
      const auto at = numbers_.find(word);
      tokens.push_back(at == numbers_.end() ? unknown : at->second);
    }
    return tokens;
  }

  /// Digits that follow each other are one number; the pads at the end are left out.
  [[nodiscard]] std::string decode(std::span<const lacuna::token> tokens) const {
    std::string text;
    bool digit = false;
    while (!tokens.empty() && tokens.back() == pad) tokens = tokens.first(tokens.size() - 1);
    for (const lacuna::token t : tokens) {
      const std::string word = t == mask() ? "_" : words_.at(static_cast<std::size_t>(t));
      const bool is_digit = word.size() == 1 && std::isdigit(static_cast<unsigned char>(word[0])) != 0;
      if (!text.empty() && !(digit && is_digit)) text += ' ';
      text += word;
      digit = is_digit;
    }
    return text;
  }

  [[nodiscard]] const std::string& word(lacuna::token t) const { return words_.at(static_cast<std::size_t>(t)); }

  /// The pieces of a text, digits apart.
  static std::vector<std::string> split(std::string_view text) {
    std::vector<std::string> pieces;
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
      } else {
        if (std::string_view{"0123456789=+-*/.?"}.find(text[i]) != std::string_view::npos) pieces.emplace_back(1, text[i]);
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
