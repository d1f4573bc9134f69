/// @file
/// @brief The little SVG that the library's pictures are made of: rectangles, lines, labels, and one scale of colours.
///
/// Each piece is a string of whole elements; places are whole numbers of pixels, or real ones to a tenth; sans serif. Labels
/// are escaped: any UTF-8 may go in, control characters become spaces.
/// ```cpp
/// std::string body = lacuna::svg::rect(10, 20, 5, 5, lacuna::svg::hex(lacuna::svg::shade_of(0.5)));
/// body += lacuna::svg::label(18, 25, "half");
/// out << lacuna::svg::head(width, height) << body << lacuna::svg::tail;
/// ```
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>

#include "lacuna/core/number_text.hpp"
#include "lacuna/core/xml_text.hpp"

namespace lacuna::svg {

struct color {
  int red, green, blue;
};

/// Dark violet (0) over blue and green to yellow (1), of evenly rising lightness; what is outside is drawn in to the end.
inline color shade_of(double u) {
  constexpr std::array<color, 6> anchors{
      {{68, 1, 84}, {65, 68, 135}, {42, 120, 142}, {34, 168, 132}, {122, 209, 81}, {253, 231, 37}}};
  const double place = std::clamp(u, 0.0, 1.0) * (anchors.size() - 1);
  const auto a = std::min(static_cast<std::size_t>(place), anchors.size() - 2);
  const double t = place - static_cast<double>(a);
  const auto mix = [t](int from, int to) { return static_cast<int>(std::lround(from + t * (to - from))); };
  return {mix(anchors[a].red, anchors[a + 1].red), mix(anchors[a].green, anchors[a + 1].green),
          mix(anchors[a].blue, anchors[a + 1].blue)};
}

/// How light a colour looks, 0 to 255; below 140 writing on it should be white.
inline double lightness(color c) { return 0.3 * c.red + 0.59 * c.green + 0.11 * c.blue; }

/// "#rrggbb".
inline std::string hex(color c) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string s = "#";
  for (const int v : {c.red, c.green, c.blue}) {
    s += digits[static_cast<std::size_t>(v) / 16];
    s += digits[static_cast<std::size_t>(v) % 16];
  }
  return s;
}

/// A place or a length.
template <class Number>
std::string pixels(Number x) {
  if constexpr (std::is_integral_v<Number>)
    return std::to_string(x);
  else
    return number_text(std::round(10 * x) / 10);
}

inline std::string rect(std::size_t x, std::size_t y, std::size_t w, std::size_t h, std::string_view fill, double opacity = 1) {
  std::string s = "<rect x=\"" + std::to_string(x) + "\" y=\"" + std::to_string(y) + "\" width=\"" + std::to_string(w) +
                  "\" height=\"" + std::to_string(h) + "\" fill=\"" + std::string(fill) + "\"";
  const auto percent = static_cast<std::size_t>(std::lround(100 * opacity));
  if (percent < 100) s += " fill-opacity=\"." + std::string(percent < 10 ? "0" : "") + std::to_string(percent) + "\"";
  return s + "/>\n";
}

inline std::string line(double x1, double y1, double x2, double y2, std::string_view stroke, double width) {
  return "<line x1=\"" + pixels(x1) + "\" y1=\"" + pixels(y1) + "\" x2=\"" + pixels(x2) + "\" y2=\"" + pixels(y2) +
         "\" stroke=\"" + std::string(stroke) + "\" stroke-width=\"" + pixels(width) + "\"/>\n";
}

/// `attributes` are written as they are.
template <class X, class Y>
std::string label(X x, Y y, std::string_view content, std::string_view attributes = {}) {
  return "<text x=\"" + pixels(x) + "\" y=\"" + pixels(y) + "\"" + (attributes.empty() ? "" : " ") + std::string(attributes) +
         ">" + xml_text(content) + "</text>\n";
}

/// Attributes of a label whose middle is at x.
inline std::string centered(std::string_view fill, std::size_t size) {
  return "text-anchor=\"middle\" font-size=\"" + std::to_string(size) + "\" fill=\"" + std::string(fill) + "\"";
}

/// Begins a picture of that size, white.
template <class Width, class Height>
std::string head(Width width, Height height, std::size_t font_size = 10) {
  const std::string w = pixels(width);
  const std::string h = pixels(height);
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + w + "\" height=\"" + h + "\" viewBox=\"0 0 " + w + " " + h +
         "\" font-family=\"sans-serif\" font-size=\"" + std::to_string(font_size) +
         "\">\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n";
}
inline constexpr std::string_view tail = "</svg>\n";

/// Distance of axis labels, for n places: the least of 1, 2, 4, 8, … that is at least `least`.
inline std::size_t tick(std::size_t n, std::size_t least) {
  std::size_t t = 1;
  while (t < least && t < n) t *= 2;
  return t;
}

}  // namespace lacuna::svg
