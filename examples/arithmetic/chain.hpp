/// @file
/// @brief Reads a written calculation: is the answer right, and is every step?
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "words.hpp"

namespace arithmetic {

/// What a solution comes to. Two measures: `answer`, the number after #### is that of the right solution; `chain`, every step
/// is written whole, is right, uses amounts of the question or earlier results, and the answer is the last result and right.
/// Between steps there may be words, amounts and earlier results, and a = in front of a step, as GSM8K writes them.
struct judgement {
  bool answer = false;
  bool chain = false;
};

namespace detail {

inline std::optional<long> number_of(const std::string& piece) {
  if (piece.empty() || piece.size() > 6) return {};
  for (const char c : piece)
    if (c < '0' || c > '9') return {};
  return std::stol(piece);
}

}  // namespace detail

/// The number after the last ####.
inline std::optional<long> answer_of(std::string_view solution) {
  const std::vector<std::string> pieces = tokeniser::split(solution);
  for (std::size_t i = pieces.size(); i-- > 0;)
    if (pieces[i] == "####") return i + 1 < pieces.size() ? detail::number_of(pieces[i + 1]) : std::nullopt;
  return {};
}

inline judgement judge(std::string_view question, std::string_view solution, long right_answer) {
  judgement j;
  const std::optional<long> answer = answer_of(solution);
  j.answer = answer && *answer == right_answer;
  std::set<long> known;
  for (const std::string& piece : tokeniser::split(question))
    if (const auto n = detail::number_of(piece)) known.insert(*n);
  const std::vector<std::string> pieces = tokeniser::split(solution);
  std::optional<long> last;
  bool ended = false;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    if (ended) return j;  // something after the answer
    if (pieces[i] == "####") {
      ended = i + 1 < pieces.size() && detail::number_of(pieces[i + 1]).has_value();
      if (!ended) return j;
      ++i;
      continue;
    }
    if (pieces[i] != "<<") {  // a word, or what a text around the steps says of them: 48/2 = <<48/2=24>>24 pens
      const auto n = detail::number_of(pieces[i]);
      const bool before_step = i + 1 < pieces.size() && pieces[i + 1] == "<<";
      if (pieces[i] == ">>" || (pieces[i] == "=" && !before_step) || (n && !known.contains(*n))) return j;
      continue;
    }
    if (i + 6 >= pieces.size() || pieces[i + 4] != "=" || pieces[i + 6] != ">>") return j;
    const auto a = detail::number_of(pieces[i + 1]), b = detail::number_of(pieces[i + 3]), c = detail::number_of(pieces[i + 5]);
    if (!a || !b || !c || !known.contains(*a) || !known.contains(*b)) return j;
    const std::string& sign = pieces[i + 2];
    const bool right = sign == "+"   ? *a + *b == *c
                       : sign == "-" ? *a - *b == *c
                       : sign == "*" ? *a * *b == *c
                       : sign == "/" ? *b != 0 && *a % *b == 0 && *a / *b == *c
                                     : false;
    if (!right) return j;
    known.insert(*c);
    last = *c;
    i += 6;
  }
  j.chain = ended && last && answer && *last == *answer && j.answer;
  return j;
}

}  // namespace arithmetic
