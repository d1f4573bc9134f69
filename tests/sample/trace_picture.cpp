// A trace as a picture: every commit is drawn once, in the colour of its step and the shade of its probability.
#include <doctest/doctest.h>

#include <sstream>
#include <string>
#include <vector>

#include "lacuna/sample/compose.hpp"
#include "lacuna/sample/decode.hpp"
#include "lacuna/sample/trace_picture.hpp"
#include "lacuna/sample/trace_recorder.hpp"
#include "tests/sample/models.hpp"
#include "tests/sample/policies.hpp"
#include "tests/support/svg_test.hpp"

using namespace lacuna;
using namespace lacuna::tests;

namespace {

sample::trace three_steps() {
  sample::trace row;
  row.start = canvas::blank(4);
  row.start.fix(0, 1);
  row.steps.resize(3);
  row.steps[0].committed = {1};
  row.steps[0].tokens = {2};
  row.steps[0].confidence = {1};
  row.steps[1].committed = {2};
  row.steps[1].tokens = {3};
  row.steps[1].confidence = {0.5};
  row.steps[2].committed = {3};
  row.steps[2].tokens = {4};
  row.steps[2].confidence = {0};
  return row;
}

std::string drawn(const sample::trace_picture& picture, const sample::trace& row) {
  std::ostringstream out;
  picture.write(out, row);
  return out.str();
}

}  // namespace

TEST_CASE("the chart: first step dark violet, last yellow, paler where the token was less probable") {
  const std::string svg = drawn({}, three_steps());
  check_xml(svg);
  CHECK(count(svg, "4 positions, 3 steps, 0 calls of the network") == 1);
  // position 1 in step 0: solid, and a pale bar of two steps behind it
  CHECK(count(svg, "<rect x=\"36\" y=\"48\" width=\"13\" height=\"11\" fill=\"#440154\"/>") == 1);
  CHECK(count(svg, "<rect x=\"50\" y=\"48\" width=\"28\" height=\"11\" fill=\"#440154\" fill-opacity=\".25\"/>") == 1);
  CHECK(count(svg, "<rect x=\"50\" y=\"60\" width=\"13\" height=\"11\" fill=\"#269089\" fill-opacity=\".60\"/>") == 1);
  CHECK(count(svg, "<rect x=\"64\" y=\"72\" width=\"13\" height=\"11\" fill=\"#fde725\" fill-opacity=\".20\"/>") == 1);
  CHECK(count(svg, "fixed") == 1);
  CHECK(count(svg, "masked again") == 0);
  CHECK(count(svg, "closed") == 0);
}

TEST_CASE("the grid: positions wrapped, the number of the step in each") {
  const std::string svg = drawn({.columns = 2, .group = 1}, three_steps());
  check_xml(svg);
  CHECK(count(svg, "<rect x=\"40\" y=\"24\" width=\"29\" height=\"29\" fill=\"#440154\"/>") == 1);
  CHECK(count(svg, "<rect x=\"10\" y=\"54\" width=\"29\" height=\"29\" fill=\"#269089\" fill-opacity=\".60\"/>") == 1);
  CHECK(count(svg, "fill=\"#fff\">0</text>") == 1);  // white on dark
  CHECK(count(svg, "fill=\"#333\">2</text>") == 1);  // dark on pale
  CHECK(count(svg, "fill=\"#000\"/>") == 6);         // three lines each way
}

TEST_CASE("tokens masked again and closed positions are marked") {
  sample::trace row = three_steps();
  row.steps[1].remasked = {1};
  row.steps[2].closed = {1};
  for (const std::size_t columns : {0U, 2U}) {
    const std::string svg = drawn({.columns = columns}, row);
    check_xml(svg);
    CHECK(count(svg, "#e0252f") == 2);  // the mark and the legend
    CHECK(count(svg, "#e4dccf") == 2);
    CHECK(count(svg, ">masked again<") == 1);
    CHECK(count(svg, ">closed<") == 1);
  }
}

TEST_CASE("tokens are written where asked, with what XML reserves escaped") {
  for (const std::size_t columns : {0U, 2U}) {
    std::ostringstream out;
    sample::trace_picture{.columns = columns}.write(out, three_steps(), [](token t) { return t == 3 ? "a<b&\"\n" : "ü"; });
    check_xml(out.str());
    CHECK(count(out.str(), ">a&lt;b&amp;&quot; <") == 1);
    CHECK(count(out.str(), ">ü<") == 3);
  }
}

TEST_CASE("any run can be drawn, and the file stays small") {
  whole model;
  model.end = 6;
  std::vector<canvas> starts{canvas::blank(256), canvas::blank(1), canvas::infill({1, 2}, {}), canvas::blank(9)};
  sample::trace_recorder recorder;
  decode(model, std::span{starts}, compose(timed{40, 9}, draw::categorical{}, sometimes{0.02}, ending::stop{}), {.seed = 4},
         recorder);
  decode(model, canvas::blank(256), compose(order::left_to_right{1}, draw::argmax{}), 1, recorder);
  for (const sample::trace& row : recorder.rows())
    for (const std::size_t columns : {0U, 16U}) check_xml(drawn({.columns = columns}, row));
  CHECK(drawn({}, recorder.row(0)).size() < 256 * 200);
  CHECK(count(drawn({}, recorder.row(0)), "256 positions, 256 steps, 256 calls of the network") == 1);
}
