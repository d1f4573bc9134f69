/// @file
/// @brief Any text in the 27 symbols: capitals become small, digits are spelled, all else is one space (as text8 was made).
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace text {

/// Begins and ends without a space and has no two in a row. Bytes outside ASCII count as space.
inline std::string normalised(std::string_view any) {
  constexpr std::array<std::string_view, 10> digits{"zero", "one", "two",   "three", "four",
                                                    "five", "six", "seven", "eight", "nine"};
  std::string out;
  out.reserve(any.size());
  bool gap = false;
  const auto put = [&](std::string_view letters) {
    if (gap && !out.empty()) out += ' ';
    gap = false;
    out += letters;
  };
  for (const char c : any) {
    if (c >= 'a' && c <= 'z') {
      put({&c, 1});
    } else if (c >= 'A' && c <= 'Z') {
      const char small = static_cast<char>(c - 'A' + 'a');
      put({&small, 1});
    } else if (c >= '0' && c <= '9') {
      gap = true;
      put(digits[static_cast<std::size_t>(c - '0')]);
      gap = true;
    } else {
      gap = true;
    }
  }
  return out;
}

}  // namespace text
