// Cost against quality as a picture: every point is drawn once, where its numbers say.
#include "lacuna/sample/trade_off_picture.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

using namespace lacuna;
using sample::trade_off;

namespace {

std::size_t count(std::string_view text, std::string_view what) {
  std::size_t n = 0;
  for (std::size_t at = text.find(what); at != std::string_view::npos; at = text.find(what, at + what.size())) ++n;
  return n;
}

std::string drawn(const std::vector<trade_off>& curves) {
  std::ostringstream out;
  sample::trade_off_picture{"a < b"}.write(out, curves);
  return out.str();
}

/// The numbers of an attribute, in the order in which they stand.
std::vector<double> all(const std::string& svg, const std::string& attribute) {
  std::vector<double> found;
  const std::string begin = " " + attribute + "=\"";
  for (std::size_t at = svg.find(begin); at != std::string::npos; at = svg.find(begin, at + 1))
    found.push_back(std::stod(svg.substr(at + begin.size())));
  return found;
}

}  // namespace

TEST_CASE("points stand where cost, on a logarithmic axis, and quality say, joined in order of cost") {
  const std::string svg = drawn({{"k", {{100, 80}, {1, 20}, {10, 50}}}});
  CHECK(svg.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\""));
  CHECK(svg.ends_with("</svg>\n"));
  CHECK(count(svg, "<text ") == count(svg, "</text>"));
  CHECK(count(svg, "<circle ") == 3);
  CHECK(count(svg, "stroke-width=\"2\"") == 2 + 1);  // between the points, and in the list of names
  const std::vector<double> x = all(svg, "cx"), y = all(svg, "cy");
  CHECK(x[1] - x[0] == doctest::Approx(x[2] - x[1]).epsilon(0.001));
  CHECK(y[0] - y[1] == doctest::Approx(y[1] - y[2]).epsilon(0.001));
  CHECK(x[0] < x[1]);
  CHECK(y[0] > y[1]);  // better is higher
  for (const char* mark : {">1<", ">2<", ">5<", ">10<", ">20<", ">50<", ">100<", ">40<", ">60<"}) CHECK(count(svg, mark) >= 1);
}

TEST_CASE("errors are bars, labels and names are escaped, a single point is enough") {
  const std::string svg = drawn({{"a & b", {{5, 60, 1.5, "gamma > 1"}}}, {"none", {}}});
  CHECK(count(svg, "<circle ") == 1);
  CHECK(count(svg, "<title>gamma &gt; 1</title>") == 1);
  CHECK(count(svg, ">a &amp; b<") == 1);
  CHECK(count(svg, ">a &lt; b<") == 1);
  CHECK(count(svg, ">none<") == 1);
  CHECK(count(svg, "#0072b2\" stroke-width=\"1\"") == 1);
  CHECK(count(drawn({{"a", {{5, 60}}}}), "#0072b2\" stroke-width=\"1\"") == 0);
}

TEST_CASE("qualities of any size and nearly the same ones get an axis of few marks") {
  for (const double middle : {0.0, 1e-9, 60.0, 1e9, 1e15, -1e15})
    for (const double apart : {0.0, 1e-14, 1e-7, 1e-3, 1.0, 1e6}) {
      const std::string svg = drawn({{"a", {{1, middle}, {2, middle + apart}}}});
      CHECK(count(svg, "text-anchor=\"end\"") >= 2);
      CHECK(count(svg, "text-anchor=\"end\"") <= 12);
    }
}

TEST_CASE("what cannot be drawn is refused by name") {
  CHECK_THROWS_WITH_AS(drawn({}), "trade_off_picture: got no point, expected at least one", invalid_argument);
  CHECK_THROWS_WITH_AS(
      drawn({{"a", {{0, 60, 0, "zero"}}}}),
      "trade_off_picture: point \"zero\" of cost 0, quality 60 ± 0, expected finite numbers, a cost above 0 and an "
      "error of at least 0",
      invalid_argument);
  CHECK_THROWS_AS(drawn({{"a", {{1, 60, -0.5}}}}), invalid_argument);
  CHECK_THROWS_AS(drawn({{"a", {{1, 60, std::numeric_limits<double>::quiet_NaN()}}}}), invalid_argument);
  CHECK_THROWS_AS(drawn({{"a", {{1, std::numeric_limits<double>::quiet_NaN()}}}}), invalid_argument);
  CHECK_THROWS_AS(drawn({{"a", {{std::numeric_limits<double>::infinity(), 1}}}}), invalid_argument);
}
