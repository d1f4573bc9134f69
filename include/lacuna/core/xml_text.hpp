/// @file
/// @brief Text as it may stand inside XML, and so in an SVG image.
#pragma once

#include <string>
#include <string_view>

namespace lacuna {

/// Markup escaped, control characters, which XML does not allow, made spaces; UTF-8 stays as it is.
inline std::string xml_text(std::string_view content) {
  std::string s;
  for (const char c : content) {
    if (c == '&')
      s += "&amp;";
    else if (c == '<')
      s += "&lt;";
    else if (c == '>')
      s += "&gt;";
    else if (c == '"')
      s += "&quot;";
    else
      s += static_cast<unsigned char>(c) < 32 ? ' ' : c;
  }
  return s;
}

}  // namespace lacuna
