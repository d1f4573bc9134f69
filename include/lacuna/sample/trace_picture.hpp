/// @file
/// @brief trace_picture: draws a trace as an SVG image: which position at which step, how surely.
///
/// ```cpp
/// std::ofstream file("trace.svg");
/// lacuna::sample::trace_picture{}.write(file, recorder.row(0));                           // positions down, steps across
/// lacuna::sample::trace_picture{.columns = 9, .group = 3}.write(file, recorder.row(0), digit);   // a Sudoku
/// ```
/// A chart, or with `columns` the canvas itself wrapped into a grid. Colour says at which step a position was committed (dark
/// violet first, yellow last), shade how probable its token was (paler: less). Grey is fixed; a red mark is a token that was
/// masked again. With a callable token -> string the tokens are written as well. About 150 bytes a commit.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "lacuna/core/canvas.hpp"
#include "lacuna/core/svg.hpp"
#include "lacuna/core/token.hpp"
#include "lacuna/sample/trace.hpp"

namespace lacuna::sample {

struct trace_picture {
  std::size_t columns = 0;  ///< 0 draws the chart of positions by steps, else the canvas in rows of this many positions
  std::size_t group = 0;    ///< in a grid, a heavier line after every so many rows and columns; 0 for none

  void write(std::ostream& out, const trace& row) const { write_any(out, row, nullptr); }

  /// With `to_text(token)` -> something a std::string can be made of (UTF-8).
  template <class ToText>
  void write(std::ostream& out, const trace& row, ToText&& to_text) const {
    std::vector<std::string> texts;
    const canvas end = row.after(row.steps.size());
    for (std::size_t i = 0; i < end.size(); ++i)
      texts.push_back(end.is_masked(i) ? std::string() : std::string(to_text(end[i])));
    write_any(out, row, &texts);
  }

 private:
  /// What became of a position: its commits and what ended them.
  struct stay {
    std::size_t position;
    std::size_t from;  // step of the commit
    std::size_t to;    // step in which it was masked again or closed, else the number of steps
    double confidence;
    bool remasked;
  };

  void write_any(std::ostream& out, const trace& row, const std::vector<std::string>* texts) const {
    std::string body;
    std::size_t width = 0;
    std::size_t height = 0;
    if (columns == 0)
      chart(body, row, texts, width, height);
    else
      grid(body, row, texts, width, height);
    width = std::max(width, legend(body, row, height)) + margin;
    height += 34;
    std::string head = svg::head(width, height);
    const std::size_t calls = row.steps.empty() ? 0 : row.steps.back().cost.calls();
    head += svg::label(margin, 14,
                       counted(row.start.size(), "position") + ", " + counted(row.steps.size(), "step") + ", " +
                           counted(calls, "call") + " of the network");
    out << head << body << svg::tail;
  }

  // ---- the two pictures; both begin below the title and add to the size

  static void chart(std::string& body, const trace& row, const std::vector<std::string>* texts, std::size_t& width,
                    std::size_t& height) {
    const std::size_t length = row.start.size();
    const std::size_t steps = std::max<std::size_t>(row.steps.size(), 1);
    const std::size_t h = length <= 64 ? 12 : std::max<std::size_t>(3, 768 / length);
    const std::size_t w = steps <= 48 ? 14 : std::max<std::size_t>(2, 672 / steps);
    const std::size_t left = margin + 26;
    const std::size_t top = 36;
    const auto x = [&](std::size_t step) { return left + step * w; };
    const auto y = [&](std::size_t position) { return top + position * h; };

    body += svg::label(left, 28, "step", "fill=\"#777\"");
    const std::size_t every_step = svg::tick(steps, 24 / w + 1);
    for (std::size_t s = 0; s < steps; s += every_step)
      if (s > 0 && x(s) > left + 24) body += svg::label(x(s) + w / 2, 28, text(s), "fill=\"#777\" text-anchor=\"middle\"");
    const std::size_t every_position = svg::tick(length, 10 / h + 1);
    for (std::size_t i = 0; i < length; i += every_position)
      body += svg::label(left - 4, y(i) + h / 2 + 3, text(i), "fill=\"#777\" text-anchor=\"end\"");

    body += svg::rect(left, top, steps * w, length * h, paper, 1);
    for (std::size_t i = 0; i < length; ++i)
      if (!row.start.is_masked(i)) body += svg::rect(left, y(i), steps * w, h - 1, fixed_gray, 1);
    for (const stay& s : stays(row)) {
      const std::string fill = svg::hex(color_of(s.from, steps));
      if (s.to > s.from + 1) body += svg::rect(x(s.from + 1), y(s.position), (s.to - s.from - 1) * w, h - 1, fill, 0.25);
      body += svg::rect(x(s.from), y(s.position), w - (w > 4 ? 1 : 0), h - 1, fill, shade(s.confidence));
      if (s.remasked) body += svg::rect(x(s.to), y(s.position), std::max<std::size_t>(w / 4, 1), h - 1, red, 1);
    }
    for (std::size_t s = 0; s < row.steps.size(); ++s)
      for (const std::size_t i : row.steps[s].closed) body += svg::rect(x(s), y(i), (steps - s) * w, h - 1, closed_gray, 1);
    width = x(steps);
    if (texts != nullptr && h >= 10) {
      std::size_t longest = 0;
      for (std::size_t i = 0; i < length; ++i) {
        body += svg::label(x(steps) + 5, y(i) + h / 2 + 3, (*texts)[i]);
        longest = std::max(longest, (*texts)[i].size());
      }
      width += 10 + 7 * longest;
    }
    height = y(length);
  }

  void grid(std::string& body, const trace& row, const std::vector<std::string>* texts, std::size_t& width,
            std::size_t& height) const {
    const std::size_t length = row.start.size();
    const std::size_t steps = std::max<std::size_t>(row.steps.size(), 1);
    const std::size_t size = 30;
    const std::size_t top = 24;
    const std::size_t lines = (length + columns - 1) / columns;
    const auto x = [&](std::size_t i) { return margin + i % columns * size; };
    const auto y = [&](std::size_t i) { return top + i / columns * size; };

    const canvas end = row.after(row.steps.size());
    for (std::size_t i = 0; i < length; ++i)
      if (!end.is_masked(i) && !end.is_committed(i))
        body += svg::rect(x(i), y(i), size - 1, size - 1, end.is_fixed(i) ? fixed_gray : closed_gray, 1);
      else
        body += svg::rect(x(i), y(i), size - 1, size - 1, paper, 1);
    std::vector<std::string> ink(length, "#333");
    for (const stay& s : stays(row)) {
      if (s.remasked) body += svg::rect(x(s.position) + size - 6, y(s.position) + 2, 3, 3, red, 1);
      if (s.to < row.steps.size()) continue;
      const svg::color c = color_of(s.from, steps);
      const double opacity = shade(s.confidence);
      body += svg::rect(x(s.position), y(s.position), size - 1, size - 1, svg::hex(c), opacity);
      if (s.remasked || remasked_before(row, s)) body += svg::rect(x(s.position) + size - 6, y(s.position) + 2, 3, 3, red, 1);
      const double light = 255 - opacity * (255 - svg::lightness(c));
      if (light < 140) ink[s.position] = "#fff";
      if (texts == nullptr)
        body += svg::label(x(s.position) + size / 2, y(s.position) + 19, text(s.from), svg::centered(ink[s.position], 12));
      else
        body +=
            svg::label(x(s.position) + 2, y(s.position) + 9, text(s.from), "font-size=\"8\" fill=\"" + ink[s.position] + "\"");
    }
    if (texts != nullptr)
      for (std::size_t i = 0; i < length; ++i)
        body += svg::label(x(i) + size / 2, y(i) + 21, (*texts)[i], svg::centered(ink[i], 14));
    if (group > 0) {
      for (std::size_t c = 0; c <= columns; c += group)
        body += svg::rect(margin + c * size - 1, top - 1, 1, lines * size + 1, "#000", 1);
      for (std::size_t l = 0; l <= lines; l += group)
        body += svg::rect(margin - 1, top + l * size - 1, columns * size + 1, 1, "#000", 1);
    }
    width = margin + columns * size;
    height = top + lines * size;
  }

  /// Below the picture; returns where it ends.
  static std::size_t legend(std::string& body, const trace& row, std::size_t top) {
    const std::size_t steps = std::max<std::size_t>(row.steps.size(), 1);
    const std::size_t swatches = std::min<std::size_t>(steps, 16);
    const std::size_t y = top + 12;
    std::size_t x = margin;
    const auto word = [&](const std::string& w) {
      body += svg::label(x, y + 9, w);
      x += 6 * w.size() + 6;
    };
    word("step 0");
    for (std::size_t s = 0; s < swatches; ++s)
      body +=
          svg::rect(x + s * 5, y, 5, 10, svg::hex(color_of(swatches == 1 ? 0 : s * (steps - 1) / (swatches - 1), steps)), 1);
    x += swatches * 5 + 5;
    if (steps > 1) word(text(steps - 1));
    x += 8;
    word("confidence 0");
    for (std::size_t s = 0; s < 10; ++s) body += svg::rect(x + s * 5, y, 5, 10, "#22557a", shade(static_cast<double>(s) / 9));
    x += 55;
    word("1");
    x += 8;
    const auto mark = [&](std::string_view fill, const std::string& name) {
      body += svg::rect(x, y, 10, 10, fill, 1);
      x += 14;
      word(name);
    };
    if (row.start.count(cell::masked) < row.start.size()) mark(fixed_gray, "fixed");
    bool any_closed = false;
    bool any_remasked = false;
    for (const trace_step& s : row.steps) {
      any_closed = any_closed || !s.closed.empty();
      any_remasked = any_remasked || !s.remasked.empty();
    }
    if (any_closed) mark(closed_gray, "closed");
    if (any_remasked) mark(red, "masked again");
    return x;
  }

  // ---- what there is to draw

  static std::vector<stay> stays(const trace& row) {
    std::vector<stay> all;
    std::vector<std::size_t> open(row.start.size(), none);  // by position, index of the stay that lasts
    const auto end = [&](std::size_t position, std::size_t step, bool remasked) {
      if (open[position] == none) return;
      all[open[position]].to = step;
      all[open[position]].remasked = remasked;
      open[position] = none;
    };
    for (std::size_t s = 0; s < row.steps.size(); ++s) {
      const trace_step& step = row.steps[s];
      for (const std::size_t i : step.remasked) end(i, s, true);
      for (std::size_t j = 0; j < step.committed.size(); ++j) {
        open[step.committed[j]] = all.size();
        all.push_back({step.committed[j], s, row.steps.size(), step.confidence[j], false});
      }
      for (const std::size_t i : step.closed) end(i, s, false);
    }
    return all;
  }

  static bool remasked_before(const trace& row, const stay& s) {
    for (std::size_t t = 0; t < s.from; ++t)
      if (std::find(row.steps[t].remasked.begin(), row.steps[t].remasked.end(), s.position) != row.steps[t].remasked.end())
        return true;
    return false;
  }

  // ---- ink

  /// Dark violet first, yellow last.
  static svg::color color_of(std::size_t step, std::size_t steps) {
    return svg::shade_of(steps <= 1 ? 0 : static_cast<double>(step) / static_cast<double>(steps - 1));
  }
  static double shade(double confidence) { return 0.2 + 0.8 * std::clamp(confidence, 0.0, 1.0); }

  static std::string text(std::size_t n) { return std::to_string(n); }
  static std::string counted(std::size_t n, const char* thing) { return text(n) + " " + thing + (n == 1 ? "" : "s"); }
  static constexpr std::size_t none = static_cast<std::size_t>(-1);
  static constexpr std::size_t margin = 10;
  static constexpr std::string_view paper = "#f6f6f6";
  static constexpr std::string_view fixed_gray = "#cccccc";
  static constexpr std::string_view red = "#e0252f";
  static constexpr std::string_view closed_gray = "#e4dccf";
};

}  // namespace lacuna::sample
