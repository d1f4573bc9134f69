// Numbers as colours: a picture is read back, and each cell has the colour that its number stands for.
#include "lacuna/mi/matrix_picture.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include "lacuna/core/random.hpp"
#include "tests/support/svg_test.hpp"

using namespace lacuna;
using namespace lacuna::tests;
using mi::grid_panel;
using mi::matrix_panel;
using mi::matrix_picture;
using mi::panel;
using names = std::vector<std::string>;

namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
constexpr double infinite = std::numeric_limits<double>::infinity();

std::string drawn(const matrix_picture& picture, const std::vector<panel>& panels) {
  std::ostringstream out;
  picture.write(out, panels);
  check_xml(out.str());
  return out.str();
}

tensor<double, 2> matrix(std::size_t n, const std::vector<double>& values) {
  tensor<double, 2> m({n, n});
  std::copy(values.begin(), values.end(), m.begin());
  return m;
}

std::string shade(double u) { return svg::hex(svg::shade_of(u)); }

/// The colours of a matrix without labels in cells, whose left upper corner is there, cells `size` wide.
names colors(const std::string& svg, std::size_t n, std::size_t x, std::size_t y, std::size_t size) {
  const auto rects = rects_of(svg);
  names all;
  for (std::size_t k = 0; k < n * n; ++k)
    all.push_back(color_at(rects, x + k % n * size + size / 2, y + k / n * size + size / 2));
  return all;
}

}  // namespace

TEST_CASE("the colour of a cell is that of its number, 0 dark violet, the largest yellow") {
  const std::string svg = drawn({}, {matrix_panel("m", matrix(3, {0, 1, 2, 1, 0, 0.5, 2, 0.5, 0}))});
  CHECK(colors(svg, 3, 12, 32, 18) ==
        names{shade(0), shade(0.5), shade(1), shade(0.5), shade(0), shade(0.25), shade(1), shade(0.25), shade(0)});
  CHECK(count(svg, ">m</text>") == 1);
  CHECK(count(svg, ">2 nats</text>") == 1);
  CHECK(count(svg, ">1</text>") == 1);  // the middle
  CHECK(count(svg, "not known") == 0);
}

TEST_CASE("a random matrix is read back cell by cell, however many neighbours are equal") {
  random_stream random{1, stream_use::other, 0, 0};
  for (const std::size_t n : {1U, 2U, 24U, 30U, 81U}) {
    std::vector<double> values(n * n);
    for (double& v : values) v = random.bernoulli(0.7) ? 0 : static_cast<double>(random.below(11)) / 10;
    values[0] = 1;
    const std::size_t size = n <= 24 ? 18 : 486 / n;
    for (const double from : {0.0, 0.01}) {
      const std::string svg = drawn({.log_from = from}, {matrix_panel("", matrix(n, values))});
      names expected;
      for (const double v : values)
        expected.push_back(shade(from == 0 ? v : v == 0 ? 0 : std::log(v / from) / std::log(1 / from)));
      CHECK(colors(svg, n, 12, 32, size) == expected);
      CHECK(svg.size() < n * n * 80 + 9000);
    }
  }
}

TEST_CASE("a logarithmic scale shows what a linear one hides, and names the powers of ten between") {
  const std::vector<panel> panels{matrix_panel("m", matrix(2, {0, 1e-3, 1e-4, 1}))};
  CHECK(colors(drawn({.log_from = 1e-4}, panels), 2, 12, 32, 18) == names{shade(0), shade(0.25), shade(0), shade(1)});
  const std::string svg = drawn({.log_from = 1e-4, .unit = "bits"}, panels);
  CHECK(count(svg, ">≤ 1e-04</text>") == 1);
  CHECK(count(svg, ">1 bits</text>") == 1);
  for (const char* tick : {">0.001<", ">0.01<", ">0.1<"}) CHECK(count(svg, tick) == 1);
  // nothing above the start: the scale still has two ends
  CHECK(colors(drawn({.log_from = 0.5}, {matrix_panel("m", matrix(2, {0, 0.1, 0.1, 0}))}), 2, 12, 32, 18) ==
        names(4, shade(0)));
}

TEST_CASE("what is below 0 is red, what is not known grey, what is infinite at the end of the scale") {
  const std::string svg =
      drawn({}, {matrix_panel("m", matrix(3, {0, -0.2, -0.1, unknown, 0.5, 1, infinite, -infinite, -0.0}))});
  CHECK(colors(svg, 3, 12, 32, 18) ==
        names{shade(0), "#f05050", "#a53237", "#bebebe", shade(0.5), shade(1), shade(1), "#f05050", shade(0)});
  CHECK(count(svg, ">-0.2</text>") == 1);
  CHECK(count(svg, ">not known</text>") == 1);
  CHECK(count(drawn({.unknown = "given"}, {matrix_panel("m", matrix(1, {unknown}))}), ">given</text>") == 1);
  drawn({}, {matrix_panel("m", matrix(1, {-infinite}))});
  drawn({.log_from = 0.1}, {matrix_panel("m", matrix(1, {infinite}))});
}

TEST_CASE("several panels share one scale") {
  const std::string svg = drawn({}, {matrix_panel("exact", matrix(1, {1})), matrix_panel("neural", matrix(1, {2}))});
  const auto rects = rects_of(svg);
  CHECK(color_at(rects, 12 + 9, 32 + 9) == shade(0.5));
  const std::size_t second = 12 + 7 * 5 + 24;  // behind the title of the first
  CHECK(color_at(rects, second + 9, 32 + 9) == shade(1));
  CHECK(count(svg, ">exact<") == 1);
  CHECK(count(svg, ">neural<") == 1);
  // one below the other
  const auto below = rects_of(drawn({.per_line = 1}, {matrix_panel("a", matrix(1, {1})), matrix_panel("b", matrix(1, {2}))}));
  CHECK(color_at(below, 12 + 9, 32 + 9) == shade(0.5));
  CHECK(color_at(below, 12 + 9, 32 + 18 + 12 + 20 + 9) == shade(1));
}

TEST_CASE("no positions, and nothing but zeros") {
  const std::string nothing = drawn({}, {matrix_panel("none", tensor<double, 2>({0, 0}))});
  CHECK(count(nothing, ">none<") == 1);
  drawn({.log_from = 0.1, .group = 3}, {});
  CHECK(colors(drawn({}, {matrix_panel("0", matrix(2, {0, 0, 0, 0}))}), 2, 12, 32, 18) == names(4, shade(0)));
}

TEST_CASE("labels stand at both edges, escaped") {
  const std::string svg = drawn({}, {matrix_panel("a<b", matrix(2, {0, 1, 1, 0}), {"p&q", "ü"})});
  CHECK(count(svg, ">a&lt;b</text>") == 1);
  CHECK(count(svg, ">p&amp;q</text>") == 2);
  CHECK(count(svg, ">ü</text>") == 2);
  CHECK(count(svg, "rotate(-90 ") == 2);
  const std::size_t edge = 6 * 3 + 6;
  CHECK(colors(svg, 2, 12 + edge, 32 + edge, 18) == names{shade(0), shade(1), shade(1), shade(0)});
  // where there is no room for each, one a group
  names many;
  for (std::size_t k = 0; k < 81; ++k) many.push_back("cell" + std::to_string(k));
  const std::string crowded = drawn({.group = 9}, {matrix_panel("m", tensor<double, 2>(xt::zeros<double>({81, 81})), many)});
  CHECK(count(crowded, ">cell9<") == 2);
  CHECK(count(crowded, ">cell10<") == 0);
}

TEST_CASE("the numbers of one position are laid out in rows, with labels in the cells and a frame around itself") {
  const std::vector<double> values{9, 1, 2, 4, 0, 3, 1};  // its own number is not drawn
  const std::string svg = drawn({.group = 2}, {grid_panel("of 0", values, 3, 0)});
  const auto rects = rects_of(svg);
  const auto at = [&](std::size_t k) { return color_at(rects, 12 + k % 3 * 36 + 10, 32 + k / 3 * 36 + 10); };
  CHECK(at(0) == "#ffffff");
  for (std::size_t k = 1; k < 7; ++k) CHECK(at(k) == shade(values[k] / 4));
  CHECK(at(7).empty());  // the last row is shorter
  for (std::size_t k = 0; k < 7; ++k) CHECK(count(svg, ">" + std::to_string(k) + "</text>") >= 1);
  CHECK(count(svg, ">the position itself</text>") == 1);
  CHECK(color_at(rects, 12, 32) == "#000");
  CHECK(count(svg, "font-size=\"9\" fill=\"#fff\">4</text>") == 1);  // white on dark
  CHECK(count(svg, "font-size=\"9\" fill=\"#333\">3</text>") == 1);  // dark on yellow
  const std::string named = drawn({}, {grid_panel("", values, 4, 2, {"<", "b", "c", "d", "e", "f", "g"})});
  CHECK(count(named, ">&lt;</text>") == 1);
}

TEST_CASE("what does not fit is refused with what was expected, and nothing is written") {
  const auto refuse = [](const auto& make, const char* message) {
    std::ostringstream out;
    CHECK_THROWS_WITH_AS(make(out), message, invalid_argument);
    CHECK(out.str().empty());
  };
  const std::vector<double> four{1, 2, 3, 4};
  refuse(
      [&](auto&) {
        matrix_panel("m", tensor<double, 2>({2, 3}));
      },
      "mi::matrix_panel: shape [2, 3], expected a square matrix");
  refuse([&](auto&) { matrix_panel("m", matrix(2, four), {"a"}); }, "mi::matrix_panel: 1 labels, expected 2, one a position");
  refuse([&](auto&) { grid_panel("g", four, 0, 0); }, "mi::grid_panel: 0 columns, expected at least 1");
  refuse([&](auto&) { grid_panel("g", four, 2, 4); }, "mi::grid_panel: position 4, expected one of 4");
  refuse([&](auto&) { grid_panel("g", four, 2, 1, {"a"}); }, "mi::grid_panel: 1 labels, expected 4, one a position");
  refuse([&](auto& out) { matrix_picture{.log_from = -1}.write(out, {}); },
         "mi::matrix_picture: log_from = -1, expected 0 or a finite number above");
  refuse([&](auto& out) { matrix_picture{.log_from = unknown}.write(out, {}); },
         "mi::matrix_picture: log_from = nan, expected 0 or a finite number above");
  refuse([&](auto& out) { matrix_picture{.per_line = 0}.write(out, {}); },
         "mi::matrix_picture: per_line = 0, expected at least 1");
  refuse(
      [&](auto& out) {
        matrix_picture{}.write(out, {panel{"p", four, 0}});
      },
      "mi::matrix_picture: panel \"p\": 0 columns, expected at least 1");
  refuse(
      [&](auto& out) {
        matrix_picture{}.write(out, {panel{"p", four, 4, {"a"}}});
      },
      "mi::matrix_picture: panel \"p\": 1 labels of 1 lines and 4 columns, expected one for each of as many");
  refuse(
      [&](auto& out) {
        matrix_picture{}.write(out, {panel{"p", four, 2, {}, {"a"}}});
      },
      "mi::matrix_picture: panel \"p\": 1 labels of 4 cells, expected one a cell");
  refuse(
      [&](auto& out) {
        matrix_picture{}.write(out, {panel{"p", four, 2, {}, {}, 7}});
      },
      "mi::matrix_picture: panel \"p\": cell 7 is marked, expected one of 4");
}
