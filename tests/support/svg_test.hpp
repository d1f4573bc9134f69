/// @file
/// @brief Reads a picture back: is it well formed, and what is drawn where?
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace lacuna::tests {

inline std::size_t count(std::string_view text, std::string_view what) {
  std::size_t n = 0;
  for (std::size_t at = text.find(what); at != std::string_view::npos; at = text.find(what, at + what.size())) ++n;
  return n;
}

/// What any reader of XML needs: every element closed, no stray markup, no control characters.
inline void check_xml(const std::string& svg) {
  CHECK(svg.rfind("<svg xmlns=\"http://www.w3.org/2000/svg\"", 0) == 0);
  CHECK(svg.substr(svg.size() - 7) == "</svg>\n");
  CHECK(count(svg, "<text ") == count(svg, "</text>"));
  CHECK(count(svg, "<rect ") == count(svg, "/>"));
  CHECK(count(svg, "<") == count(svg, ">"));
  CHECK(count(svg, "<") == 2 * count(svg, "<text ") + count(svg, "<rect ") + 2);
  CHECK(count(svg, "\"") % 2 == 0);
  CHECK(std::all_of(svg.begin(), svg.end(), [](char c) { return static_cast<unsigned char>(c) >= 32 || c == '\n'; }));
}

struct drawn_rect {
  std::size_t x, y, width, height;
  std::string fill;
};

/// The rectangles that are opaque, in the order in which they are drawn; the background is left out.
inline std::vector<drawn_rect> rects_of(const std::string& svg) {
  std::vector<drawn_rect> all;
  for (std::size_t at = svg.find("<rect x="); at != std::string::npos; at = svg.find("<rect x=", at + 1)) {
    const std::string_view element = std::string_view{svg}.substr(at, svg.find("/>", at) - at);
    if (element.find("fill-opacity") != std::string_view::npos) continue;
    const auto attribute = [&](std::string_view name) {
      const std::size_t begin = element.find(' ' + std::string(name) + "=\"") + name.size() + 3;
      return std::string(element.substr(begin, element.find('"', begin) - begin));
    };
    const auto number = [&](std::string_view name) { return static_cast<std::size_t>(std::stoul(attribute(name))); };
    all.push_back({number("x"), number("y"), number("width"), number("height"), attribute("fill")});
  }
  return all;
}

/// The colour at a place: that of the last rectangle drawn over it.
inline std::string color_at(const std::vector<drawn_rect>& rects, std::size_t x, std::size_t y) {
  std::string found;
  for (const drawn_rect& r : rects)
    if (x >= r.x && x < r.x + r.width && y >= r.y && y < r.y + r.height) found = r.fill;
  return found;
}

}  // namespace lacuna::tests
