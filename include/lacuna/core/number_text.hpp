/// @file
/// @brief Numbers as text and back without loss, whatever the locale.
#pragma once

#include <array>
#include <charconv>
#include <string>
#include <string_view>
#include <system_error>

namespace lacuna {

/// The shortest text that reads back as the same number.
template <class Number>
std::string number_text(Number value) {
  std::array<char, 64> text{};
  const std::to_chars_result result = std::to_chars(text.data(), text.data() + text.size(), value);
  return {text.data(), result.ptr};
}

/// Reads a number that is the whole of `text`. Returns whether it is one and fits; if not, `value` means nothing.
template <class Number>
bool read_number(std::string_view text, Number& value) {
  const std::from_chars_result result = std::from_chars(text.data(), text.data() + text.size(), value);
  return result.ec == std::errc{} && result.ptr == text.data() + text.size();
}

}  // namespace lacuna
