#include "lacuna/core/svg.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <string>

namespace svg = lacuna::svg;

TEST_CASE("shades go from dark violet to yellow, ever lighter, and no further") {
  CHECK(svg::hex(svg::shade_of(0)) == "#440154");
  CHECK(svg::hex(svg::shade_of(0.5)) == "#269089");
  CHECK(svg::hex(svg::shade_of(1)) == "#fde725");
  CHECK(svg::hex(svg::shade_of(-1)) == "#440154");
  CHECK(svg::hex(svg::shade_of(HUGE_VAL)) == "#fde725");
  for (int k = 1; k <= 50; ++k) CHECK(svg::lightness(svg::shade_of(k / 50.0)) > svg::lightness(svg::shade_of((k - 1) / 50.0)));
}

TEST_CASE("a label is escaped") {
  CHECK(svg::label(1, 2, "<") == "<text x=\"1\" y=\"2\">&lt;</text>\n");
  CHECK(svg::label(1, 2, "x", svg::centered("#fff", 12)) ==
        "<text x=\"1\" y=\"2\" text-anchor=\"middle\" font-size=\"12\" fill=\"#fff\">x</text>\n");
}

TEST_CASE("a rectangle tells its opacity where it has one") {
  CHECK(svg::rect(1, 2, 3, 4, "#000") == "<rect x=\"1\" y=\"2\" width=\"3\" height=\"4\" fill=\"#000\"/>\n");
  CHECK(svg::rect(1, 2, 3, 4, "#000", 0.05) ==
        "<rect x=\"1\" y=\"2\" width=\"3\" height=\"4\" fill=\"#000\" fill-opacity=\".05\"/>\n");
}

TEST_CASE("places may be real, to a tenth of a pixel") {
  CHECK(svg::line(1, 2.25, 3.04, 4, "#333", 1) ==
        "<line x1=\"1\" y1=\"2.3\" x2=\"3\" y2=\"4\" stroke=\"#333\" stroke-width=\"1\"/>\n");
  CHECK(svg::label(1.5, 2.0, "x") == "<text x=\"1.5\" y=\"2\">x</text>\n");
  CHECK(svg::head(10.5, 20.0, 11).find("viewBox=\"0 0 10.5 20\" font-family=\"sans-serif\" font-size=\"11\"") !=
        std::string::npos);
}

TEST_CASE("ticks double until they are far enough apart") {
  CHECK(svg::tick(100, 1) == 1);
  CHECK(svg::tick(100, 5) == 8);
  CHECK(svg::tick(3, 100) == 4);
}
