/// @file
/// @brief trade_off_picture: draws what samplers cost against what they achieve, as an SVG image.
///
/// ```cpp
/// std::vector<lacuna::sample::trade_off> curves{
///     {"entropy bound", {{20.0, 59.7, 1.6, "gamma = 0.1"}, {9.9, 51.2, 1.6, "gamma = 0.5"}}}};
/// std::ofstream file("trade-off.svg");
/// lacuna::sample::trade_off_picture{.title = "1000 puzzles"}.write(file, curves);
/// ```
/// Cost goes to the right on a logarithmic axis, quality up; a curve joins the points of one family in order of cost, with a
/// bar of one standard error to either side. Labels of points show when they are pointed at. Errors: nothing to draw, a cost
/// not above 0, an error below 0, or a number that is not finite.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lacuna/core/errors.hpp"
#include "lacuna/core/number_text.hpp"
#include "lacuna/core/svg.hpp"
#include "lacuna/core/xml_text.hpp"

namespace lacuna::sample {

/// One setting of a sampler.
struct trade_off_point {
  double cost = 1;
  double quality = 0;
  double error = 0;  ///< standard error of the quality
  std::string label{};
};

/// A family of samplers.
struct trade_off {
  std::string name{};
  std::vector<trade_off_point> points{};
};

struct trade_off_picture {
  std::string title{};
  std::string cost = "passes";
  std::string quality = "solved, %";

  void write(std::ostream& out, std::span<const trade_off> curves) const {
    const frame f = frame_of(curves);
    std::string body = svg::label(left, 18, title, "font-size=\"13\"") + axes(f);
    for (std::size_t c = 0; c < curves.size(); ++c) {
      body += curve(f, curves[c], colors[c % colors.size()]);
      const double y = top + 10 + 16 * static_cast<double>(c);
      body += svg::line(right + 16, y, right + 34, y, colors[c % colors.size()], 2) +
              svg::label(right + 40, y + 4, curves[c].name, "fill=\"#333\"");
    }
    const double height = std::max(bottom + 46, top + 20 + 16 * static_cast<double>(curves.size()));
    out << svg::head(width, height, 11) << body << svg::tail;
  }

 private:
  /// What the axes span, cost in powers of ten.
  struct frame {
    double least_cost = std::numeric_limits<double>::infinity(), most_cost = -std::numeric_limits<double>::infinity();
    double least = std::numeric_limits<double>::infinity(), most = -std::numeric_limits<double>::infinity();

    [[nodiscard]] double x(double c) const {
      return left + (right - left) * (std::log10(c) - least_cost) / (most_cost - least_cost);
    }
    [[nodiscard]] double y(double q) const { return bottom - (bottom - top) * (q - least) / (most - least); }
  };

  static frame frame_of(std::span<const trade_off> curves) {
    frame f;
    for (const trade_off& c : curves)
      for (const trade_off_point& p : c.points) {
        if (!(p.cost > 0) || !std::isfinite(p.cost) || !std::isfinite(p.quality) || !(p.error >= 0) || std::isinf(p.error))
          throw invalid_argument("trade_off_picture: point \"" + p.label + "\" of cost " + number_text(p.cost) + ", quality " +
                                 number_text(p.quality) + " ± " + number_text(p.error) +
                                 ", expected finite numbers, a cost above 0 and an error of at least 0");
        f.least_cost = std::min(f.least_cost, std::log10(p.cost));
        f.most_cost = std::max(f.most_cost, std::log10(p.cost));
        f.least = std::min(f.least, p.quality - p.error);
        f.most = std::max(f.most, p.quality + p.error);
      }
    if (!(f.least_cost <= f.most_cost)) throw invalid_argument("trade_off_picture: got no point, expected at least one");
    const double more_cost = std::max(0.05, 0.04 * (f.most_cost - f.least_cost));
    // Of numbers that are nearly the same the axis shows enough that its marks are told apart.
    const double enough = 1e-6 * std::max({1.0, std::abs(f.least), std::abs(f.most)});
    const double more = f.most - f.least > enough ? 0.05 * (f.most - f.least) : 1e6 * enough;
    return {f.least_cost - more_cost, f.most_cost + more_cost, f.least - more, f.most + more};
  }

  [[nodiscard]] std::string axes(const frame& f) const {
    std::string s;
    for (int exponent = static_cast<int>(std::floor(f.least_cost)); exponent <= static_cast<int>(f.most_cost) + 1; ++exponent)
      for (const double digit : {1.0, 2.0, 5.0}) {
        const double c = digit * std::pow(10.0, exponent);
        if (std::log10(c) < f.least_cost || std::log10(c) > f.most_cost) continue;
        s += svg::line(f.x(c), top, f.x(c), bottom, grid, 1) + svg::label(f.x(c), bottom + 15, short_text(c), middle);
      }
    const double step = step_of(f.most - f.least);
    for (double k = std::ceil(f.least / step); k * step <= f.most; ++k)
      s += svg::line(left, f.y(k * step), right, f.y(k * step), grid, 1) +
           svg::label(left - 6, f.y(k * step) + 4, short_text(k * step), end);
    s += svg::line(left, bottom, right, bottom, ink, 1) + svg::line(left, top, left, bottom, ink, 1);
    return s + svg::label((left + right) / 2, bottom + 34, cost, middle) +
           svg::label(left, top - 8, quality, "fill=\"#555\" text-anchor=\"middle\"");
  }

  static std::string curve(const frame& f, const trade_off& c, std::string_view color) {
    std::vector<const trade_off_point*> points;
    for (const trade_off_point& p : c.points) points.push_back(&p);
    std::sort(points.begin(), points.end(),
              [](const auto* a, const auto* b) { return a->cost != b->cost ? a->cost < b->cost : a->quality < b->quality; });
    std::string s;
    for (std::size_t k = 1; k < points.size(); ++k)
      s += svg::line(f.x(points[k - 1]->cost), f.y(points[k - 1]->quality), f.x(points[k]->cost), f.y(points[k]->quality),
                     color, 2);
    for (const trade_off_point* p : points) {
      const double x = f.x(p->cost);
      if (p->error > 0) s += svg::line(x, f.y(p->quality - p->error), x, f.y(p->quality + p->error), color, 1);
      s += "<circle cx=\"" + svg::pixels(x) + "\" cy=\"" + svg::pixels(f.y(p->quality)) + "\" r=\"3.5\" fill=\"" +
           std::string(color) + "\"><title>" + xml_text(p->label.empty() ? c.name : p->label) + "</title></circle>\n";
    }
    return s;
  }

  /// A distance of marks, 1, 2 or 5 times a power of ten, that leaves between four and ten of them.
  static double step_of(double range) {
    const double base = std::pow(10.0, std::floor(std::log10(range / 5)));
    const double times = range / 5 / base;
    return base * (times < 2 ? 1 : times < 5 ? 2 : 5);
  }
  /// Of a mark: what rounding has left behind is cut off.
  static std::string short_text(double v) { return number_text(std::round(1e6 * v) / 1e6 + 0.0); }

  static constexpr double width = 900, left = 56, right = 620, top = 48, bottom = 440;
  static constexpr std::string_view ink = "#333", grid = "#e6e6e6";
  static constexpr std::string_view middle = "fill=\"#555\" text-anchor=\"middle\"", end = "fill=\"#555\" text-anchor=\"end\"";
  /// Told apart by people of any colour vision (Okabe and Ito), then repeated darker.
  static constexpr std::array<std::string_view, 14> colors{"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00",
                                                           "#56b4e9", "#000000", "#999999", "#00466d", "#7f3800",
                                                           "#005c43", "#7a4864", "#8a5f00", "#346b8b"};
};

}  // namespace lacuna::sample
