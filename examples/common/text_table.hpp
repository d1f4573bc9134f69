/// @file
/// @brief Numbers in columns of text: means, their standard errors, and cells of a table.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <span>
#include <string>

namespace common {

/// Of at least one number.
inline double mean(std::span<const double> x) {
  double sum = 0;
  for (const double v : x) sum += v;
  return sum / static_cast<double>(x.size());
}

/// Of the mean; NaN for a single number, which says nothing about it.
inline double standard_error(std::span<const double> x) {
  if (x.size() < 2) return std::nan("");
  const double m = mean(x);
  double sum = 0;
  for (const double v : x) sum += (v - m) * (v - m);
  return std::sqrt(sum / static_cast<double>(x.size() - 1) / static_cast<double>(x.size()));
}

/// As std::printf does, up to 159 characters.
template <class... Values>
std::string format(const char* how, Values... values) {
  char text[160];
  std::snprintf(text, sizeof text, how, values...);
  return text;
}

/// With spaces behind, up to that width.
inline std::string padded(std::string text, std::size_t width) {
  text.resize(std::max(text.size(), width), ' ');
  return text;
}

/// "a ± b", ended in that column.
inline std::string with_error(const std::string& value, const std::string& error, std::size_t width) {
  const std::size_t columns = value.size() + 3 + error.size();
  return std::string(width - std::min(width, columns), ' ') + value + " ± " + error;
}

}  // namespace common
