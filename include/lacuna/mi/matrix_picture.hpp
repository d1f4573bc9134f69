/// @file
/// @brief matrix_picture: draws numbers about pairs of positions as an SVG image, several side by side on one scale of colours.
///
/// ```cpp
/// const auto exact = lacuna::mi::estimate(model, canvas, lacuna::mi::enumerated{});
/// const std::vector panels{lacuna::mi::matrix_panel("exact", exact.cleaned()), lacuna::mi::matrix_panel("neural", other)};
/// lacuna::mi::matrix_picture{.log_from = 1e-4}.write(file, panels);
/// const std::vector sudoku{lacuna::mi::grid_panel("of cell 40", row_of_cell_40, 9, 40)};
/// lacuna::mi::matrix_picture{.group = 3}.write(file, sudoku);
/// ```
/// A panel is the matrix [N, N] with labels of its positions at both edges, or the numbers of one position about all others
/// laid out as the sequence itself is, in rows of `columns`, with labels in the cells. Dark violet is 0 (or `log_from` and
/// less), yellow the largest number of all panels; what is below 0, as raw information can be, is red, and brighter the further
/// below; grey is NaN, not known. Equal neighbours in a line of a matrix are drawn as one. Any model, any numbers; nats unless
/// `unit` says otherwise. About 70 bytes a cell. Errors, as invalid_argument, before anything is written: a matrix that is not
/// square, numbers of labels that do not fit, a grid without columns, a position out of range, a `log_from` that is no start of
/// a scale.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <initializer_list>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lacuna/core/errors.hpp"
#include "lacuna/core/number_text.hpp"
#include "lacuna/core/shape_text.hpp"
#include "lacuna/core/svg.hpp"
#include "lacuna/core/tensor.hpp"

namespace lacuna::mi {

/// One drawing: n numbers in lines of `columns`, the last line perhaps shorter.
struct panel {
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  std::string title;
  std::vector<double> values;         ///< [n], number k in line k / columns
  std::size_t columns = 1;            ///< 0 only of a matrix of no positions
  std::vector<std::string> edges{};   ///< of the lines and of the columns, which are as many; or none
  std::vector<std::string> labels{};  ///< [n] written into the cells, or none: then cells are small and lie side by side
  std::size_t marked = none;          ///< a cell with a frame
};

/// The matrix [N, N], with labels [N] of its positions or without.
inline panel matrix_panel(std::string title, const tensor<double, 2>& values, std::vector<std::string> labels = {}) {
  const std::size_t n = values.shape()[0];
  if (values.shape()[1] != n)
    throw invalid_argument("mi::matrix_panel: shape " + shape_text(values.shape()) + ", expected a square matrix");
  if (!labels.empty() && labels.size() != n)
    throw invalid_argument("mi::matrix_panel: " + std::to_string(labels.size()) + " labels, expected " + std::to_string(n) +
                           ", one a position");
  return {std::move(title), {values.begin(), values.end()}, n, std::move(labels), {}, panel::none};
}

/// The numbers [N] of one position about all others, in lines of `columns`, with labels [N] or the numbers of the positions.
/// The number of the position itself is not drawn; it gets a frame.
inline panel grid_panel(std::string title, std::span<const double> values, std::size_t columns, std::size_t position,
                        std::vector<std::string> labels = {}) {
  const std::size_t n = values.size();
  if (columns == 0) throw invalid_argument("mi::grid_panel: 0 columns, expected at least 1");
  if (position >= n)
    throw invalid_argument("mi::grid_panel: position " + std::to_string(position) + ", expected one of " + std::to_string(n));
  if (!labels.empty() && labels.size() != n)
    throw invalid_argument("mi::grid_panel: " + std::to_string(labels.size()) + " labels, expected " + std::to_string(n) +
                           ", one a position");
  if (labels.empty())
    for (std::size_t k = 0; k < n; ++k) labels.push_back(std::to_string(k));
  return {std::move(title), {values.begin(), values.end()}, columns, {}, std::move(labels), position};
}

struct matrix_picture {
  double log_from = 0;                ///< 0: a linear scale from 0; else a logarithmic one from here
  std::size_t group = 0;              ///< a line after every so many rows and columns; 0 for none
  std::size_t per_line = 2;           ///< panels side by side before the next line of panels begins
  std::string unit = "nats";          ///< of the numbers
  std::string unknown = "not known";  ///< what the legend calls the cells of NaN

  void write(std::ostream& out, std::initializer_list<panel> panels) const {
    write(out, std::span<const panel>{panels.begin(), panels.size()});
  }
  void write(std::ostream& out, std::span<const panel> panels) const {
    check(panels);
    const scale ink = scale_of(panels);
    std::string body;
    std::size_t width = 0;
    std::size_t y = margin;
    for (std::size_t first = 0; first < panels.size(); first += per_line) {
      std::size_t x = margin;
      std::size_t height = 0;
      for (std::size_t p = first; p < std::min(first + per_line, panels.size()); ++p) {
        const auto [w, h] = draw(body, panels[p], ink, x, y);
        x += w + 2 * margin;
        height = std::max(height, h);
      }
      width = std::max(width, x);
      y += height + margin;
    }
    width = std::max(width, legend(body, panels, ink, y)) + margin;
    out << svg::head(width, y + 40) << body << svg::tail;
  }

 private:
  /// How numbers become colours.
  struct scale {
    double log_from = 0;
    double largest = 0;   // at least 0
    double smallest = 0;  // at most 0
    bool any_unknown = false;

    /// Place on the scale, 0 to 1, of a number that is not below 0.
    [[nodiscard]] double place(double value) const {
      if (log_from > 0) return value <= log_from ? 0 : std::min(std::log(value / log_from) / std::log(top() / log_from), 1.0);
      return largest > 0 ? std::min(value / largest, 1.0) : value > 0 ? 1 : 0;
    }
    /// The number at the bright end.
    [[nodiscard]] double top() const { return log_from > 0 ? std::max(largest, 10 * log_from) : largest; }
    [[nodiscard]] svg::color of(double value) const {
      if (std::isnan(value)) return unknown_gray;
      if (value < 0) return red_of(smallest < 0 ? std::min(value / smallest, 1.0) : 1);
      return svg::shade_of(place(value));
    }
  };

  /// Dark red just below 0, bright red far below.
  static svg::color red_of(double u) {
    return {static_cast<int>(std::lround(90 + 150 * u)), static_cast<int>(std::lround(20 + 60 * u)),
            static_cast<int>(std::lround(30 + 50 * u))};
  }

  void check(std::span<const panel> panels) const {
    if (!(log_from >= 0 && std::isfinite(log_from)))
      throw invalid_argument("mi::matrix_picture: log_from = " + number_text(log_from) +
                             ", expected 0 or a finite number above");
    if (per_line == 0) throw invalid_argument("mi::matrix_picture: per_line = 0, expected at least 1");
    for (const panel& p : panels) {
      const std::string what = "mi::matrix_picture: panel \"" + p.title + "\": ";
      if (p.columns == 0 && !p.values.empty()) throw invalid_argument(what + "0 columns, expected at least 1");
      const std::size_t lines = lines_of(p);
      if (!p.edges.empty() && (p.edges.size() != p.columns || lines != p.columns))
        throw invalid_argument(what + std::to_string(p.edges.size()) + " labels of " + std::to_string(lines) + " lines and " +
                               std::to_string(p.columns) + " columns, expected one for each of as many");
      if (!p.labels.empty() && p.labels.size() != p.values.size())
        throw invalid_argument(what + std::to_string(p.labels.size()) + " labels of " + std::to_string(p.values.size()) +
                               " cells, expected one a cell");
      if (p.marked != panel::none && p.marked >= p.values.size())
        throw invalid_argument(what + "cell " + std::to_string(p.marked) + " is marked, expected one of " +
                               std::to_string(p.values.size()));
    }
  }

  static std::size_t lines_of(const panel& p) { return p.values.empty() ? 0 : (p.values.size() + p.columns - 1) / p.columns; }

  [[nodiscard]] scale scale_of(std::span<const panel> panels) const {
    scale s{log_from};
    for (const panel& p : panels)
      for (std::size_t k = 0; k < p.values.size(); ++k) {
        if (k == p.marked) continue;
        const double v = p.values[k];
        if (std::isnan(v))
          s.any_unknown = true;
        else if (std::isfinite(v)) {
          s.largest = std::max(s.largest, v);
          s.smallest = std::min(s.smallest, v);
        }
      }
    return s;
  }

  /// Draws a panel with its left upper corner there; returns its width and height.
  [[nodiscard]] std::pair<std::size_t, std::size_t> draw(std::string& body, const panel& p, const scale& ink, std::size_t x0,
                                                         std::size_t y0) const {
    const std::size_t lines = lines_of(p);
    const std::size_t most = std::max(lines, p.columns);
    const bool large = !p.labels.empty();
    const std::size_t size = large ? 36 : most <= 24 ? 18 : std::max<std::size_t>(3, 486 / most);
    const std::size_t edge = longest(p.edges) * 6;
    const std::size_t left = x0 + (p.edges.empty() ? 0 : edge + 6);
    const std::size_t top = y0 + 20 + (p.edges.empty() ? 0 : edge + 6);
    body += svg::label(x0, y0 + 12, p.title, "font-size=\"12\"");

    for (std::size_t line = 0; line < lines; ++line) {
      const std::size_t begin = line * p.columns;
      const std::size_t end = std::min(begin + p.columns, p.values.size());
      const std::size_t y = top + line * size;
      for (std::size_t k = begin, next = begin; k < end; k = next) {
        next = k + 1;
        const std::size_t x = left + (k - begin) * size;
        const svg::color c = k == p.marked ? svg::color{255, 255, 255} : ink.of(p.values[k]);
        const std::string fill = svg::hex(c);
        if (!large) {
          while (next < end && next != p.marked && k != p.marked && svg::hex(ink.of(p.values[next])) == fill) ++next;
          body += svg::rect(x, y, (next - k) * size, size, fill);
        } else {
          body += svg::rect(x, y, size - 1, size - 1, fill);
          body += svg::label(x + size / 2, y + size / 2 + 3, p.labels[k],
                             svg::centered(svg::lightness(c) < 140 ? "#fff" : "#333", 9));
        }
        if (k == p.marked) frame(body, x, y, size);
      }
    }
    if (group > 0) {
      const std::string_view line_ink = large ? "#000" : "#fff";
      for (std::size_t c = group; c < p.columns; c += group)
        body += svg::rect(left + c * size - (large ? 1 : 0), top, 1, lines * size, line_ink, large ? 1 : 0.4);
      for (std::size_t l = group; l < lines; l += group)
        body += svg::rect(left, top + l * size - (large ? 1 : 0), p.columns * size, 1, line_ink, large ? 1 : 0.4);
    }
    if (!p.edges.empty()) {
      const std::size_t every = group > 0 && size < 10 ? group : svg::tick(most, 10 / size + 1);
      for (std::size_t k = 0; k < p.edges.size(); k += every) {
        const std::size_t at = k * size + size / 2 + 3;
        body += svg::label(left - 4, top + at, p.edges[k], "fill=\"#777\" text-anchor=\"end\"");
        const std::string x = std::to_string(left + at);
        const std::string y = std::to_string(top - 4);
        body += svg::label(left + at, top - 4, p.edges[k], "fill=\"#777\" transform=\"rotate(-90 " + x + ' ' + y + ")\"");
      }
    }
    return {left - x0 + std::max(p.columns * size, 7 * p.title.size()), top - y0 + lines * size};
  }

  static void frame(std::string& body, std::size_t x, std::size_t y, std::size_t size) {
    for (const std::size_t at : {std::size_t{0}, size - 1}) {
      body += svg::rect(x, y + at, size, 1, "#000");
      body += svg::rect(x + at, y, 1, size, "#000");
    }
  }

  /// The bar of colours, with what its ends mean; returns where it ends.
  std::size_t legend(std::string& body, std::span<const panel> panels, const scale& ink, std::size_t y) const {
    constexpr std::size_t swatches = 64;
    std::size_t x = margin;
    const auto word = [&](const std::string& w) {
      body += svg::label(x, y + 10, w);
      x += 6 * w.size() + 6;
    };
    const auto bar = [&](const auto& color_at) {
      for (std::size_t s = 0; s < swatches; ++s)
        body += svg::rect(x + 3 * s, y, 3, 12, svg::hex(color_at(static_cast<double>(s) / (swatches - 1))));
      x += 3 * swatches + 6;
    };
    if (ink.smallest < 0) {
      word(short_text(ink.smallest));
      bar([](double u) { return red_of(1 - u); });
    }
    word(log_from > 0 ? "≤ " + number_text(log_from) : "0");
    const std::size_t from = x;
    bar([](double u) { return svg::shade_of(u); });
    word(short_text(ink.top()) + ' ' + unit);
    for (const double tick : ticks(ink)) {
      const auto at = from + static_cast<std::size_t>(std::lround(ink.place(tick) * 3 * swatches));
      body += svg::rect(at, y + 12, 1, 4, "#777");
      body += svg::label(at, y + 25, short_text(tick), "fill=\"#777\" text-anchor=\"middle\"");
    }
    const auto mark = [&](svg::color c, const std::string& name) {
      body += svg::rect(x, y, 12, 12, svg::hex(c));
      x += 16;
      word(name);
    };
    if (ink.any_unknown) mark(unknown_gray, unknown);
    if (std::any_of(panels.begin(), panels.end(), [](const panel& p) { return p.marked != panel::none; })) {
      frame(body, x, y, 12);
      x += 16;
      word("the position itself");
    }
    return x;
  }

  /// Inner numbers of the bar: the middle, or the powers of ten.
  static std::vector<double> ticks(const scale& ink) {
    if (ink.log_from <= 0) return ink.largest > 0 ? std::vector{ink.largest / 2} : std::vector<double>{};
    std::vector<double> all;
    for (int e = static_cast<int>(std::ceil(std::log10(ink.log_from) + 1e-9)); all.size() < 20; ++e) {
      const double power = std::pow(10.0, e);
      if (power >= ink.top() * (1 - 1e-9)) break;
      if (power > ink.log_from * (1 + 1e-9)) all.push_back(power);
    }
    return all;
  }

  /// Three digits.
  static std::string short_text(double value) {
    const double step = value == 0 ? 1 : std::pow(10.0, std::floor(std::log10(std::abs(value))) - 2);
    return number_text(static_cast<float>(std::round(value / step) * step));
  }

  static std::size_t longest(const std::vector<std::string>& labels) {
    std::size_t n = 0;
    for (const std::string& l : labels) n = std::max(n, l.size());
    return n;
  }

  static constexpr std::size_t margin = 12;
  static constexpr svg::color unknown_gray{190, 190, 190};
};

}  // namespace lacuna::mi
