/// @file
/// @brief What is measured of generated texts: spelling, unigram entropy, distinct words, each with its standard error where it
/// is a mean over texts.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "alphabet.hpp"
#include "words.hpp"

namespace text {

struct estimate {
  double value = std::nan("");
  double error = std::nan("");
};

/// Σ a / Σ b over texts, its error to first order: texts are independent, what is in one is not.
inline estimate ratio_of(std::span<const double> a, std::span<const double> b) {
  double sum_a = 0, sum_b = 0;
  for (std::size_t k = 0; k < a.size(); ++k) sum_a += a[k], sum_b += b[k];
  if (!(sum_b > 0)) return {};
  estimate e{sum_a / sum_b, std::nan("")};
  if (a.size() < 2) return e;
  double squares = 0;
  for (std::size_t k = 0; k < a.size(); ++k) squares += (a[k] - e.value * b[k]) * (a[k] - e.value * b[k]);
  const auto n = static_cast<double>(a.size());
  e.error = std::sqrt(squares * n / (n - 1)) / sum_b;
  return e;
}

/// The share of the whole words of the texts that a list has.
inline estimate spelling_of(std::span<const std::string> texts, const word_list& list) {
  std::vector<double> right, all;
  for (const std::string& t : texts) {
    const std::vector<std::string_view> words = whole_words_of(t);
    all.push_back(static_cast<double>(words.size()));
    right.push_back(static_cast<double>(std::count_if(words.begin(), words.end(), [&](auto w) { return list.contains(w); })));
  }
  return ratio_of(right, all);
}

/// The entropy in nats of the symbols of all texts together; its error to first order: texts are independent, and each shifts
/// the entropy by the mean surprisal of its symbols.
inline estimate unigram_entropy_of(std::span<const std::string> texts) {
  std::array<double, vocabulary_size> count{};
  double total = 0;
  for (const std::string& t : texts)
    for (const char c : t) ++count[static_cast<std::size_t>(token_of(c))], ++total;
  if (total == 0) return {};
  const auto surprisal = [&](char c) { return -std::log(count[static_cast<std::size_t>(token_of(c))] / total); };
  std::vector<double> sums, sizes;
  for (const std::string& t : texts) {
    double sum = 0;
    for (const char c : t) sum += surprisal(c);
    sums.push_back(sum);
    sizes.push_back(static_cast<double>(t.size()));
  }
  return ratio_of(sums, sizes);
}

/// Different whole words of all texts together, as far as the list has them.
inline std::size_t distinct_words_of(std::span<const std::string> texts, const word_list& list) {
  std::set<std::string_view> seen;
  for (const std::string& t : texts)
    for (const std::string_view w : whole_words_of(t))
      if (list.contains(w)) seen.insert(w);
  return seen.size();
}

}  // namespace text
