/// @file
/// @brief Lists of words, and what of a text is spelled as one of them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "lacuna/core/errors.hpp"
#include "normalise.hpp"

namespace text {

/// The words between spaces.
inline std::vector<std::string_view> words_of(std::string_view symbols) {
  std::vector<std::string_view> words;
  while (!symbols.empty()) {
    const std::size_t end = std::min(symbols.find(' '), symbols.size());
    if (end > 0) words.push_back(symbols.substr(0, end));
    symbols.remove_prefix(std::min(end + 1, symbols.size()));
  }
  return words;
}

/// The words that stand whole in a piece of a text: not the first nor the last, which may have been cut.
inline std::vector<std::string_view> whole_words_of(std::string_view piece) {
  const std::size_t first = piece.find(' ');
  const std::size_t last = piece.rfind(' ');
  return first == std::string_view::npos || first == last ? std::vector<std::string_view>{}
                                                          : words_of(piece.substr(first, last - first));
}

class word_list {
 public:
  word_list() = default;
  explicit word_list(const std::vector<std::string_view>& words) {
    for (const std::string_view word : words) words_.emplace(word);
  }

  /// One a line; each line is normalised, lines of several words or none are left out. Throws lacuna::file_error for a file
  /// that cannot be read or has no word.
  static word_list read(const std::string& path) {
    std::ifstream file(path);
    word_list list;
    for (std::string line; std::getline(file, line);) {
      std::string word = normalised(line);
      if (!word.empty() && word.find(' ') == std::string::npos) list.words_.insert(std::move(word));
    }
    if (list.words_.empty()) throw lacuna::file_error(path + ": no word, expected one a line");
    return list;
  }

  [[nodiscard]] bool contains(std::string_view word) const { return words_.contains(std::string(word)); }
  [[nodiscard]] std::size_t size() const { return words_.size(); }
  /// In alphabetical order.
  [[nodiscard]] std::vector<std::string> sorted() const {
    std::vector<std::string> all(words_.begin(), words_.end());
    std::sort(all.begin(), all.end());
    return all;
  }

 private:
  std::unordered_set<std::string> words_;
};

}  // namespace text
