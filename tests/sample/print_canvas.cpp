// A row printed as it fills in.
#include <doctest/doctest.h>

#include <sstream>
#include <string>
#include <vector>

#include "lacuna/sample/compose.hpp"
#include "lacuna/sample/decode.hpp"
#include "lacuna/sample/print_canvas.hpp"
#include "tests/sample/models.hpp"
#include "tests/sample/policies.hpp"

using namespace lacuna;
using namespace lacuna::tests;

namespace {

/// Decodes `length` positions, token l at position l, from the left.
std::string printed(std::size_t length, std::size_t k, const sample::print_options& options, std::size_t rows = 1) {
  whole model;
  model.logits = [](std::span<const token>, std::size_t l, std::span<float> out) {
    std::fill(out.begin(), out.end(), 0.0F);
    out[l] = 3;
  };
  const std::vector<std::string> words{"The ", "cät ", "sat ", "on ", "a ", "mat\n"};
  std::ostringstream out;
  sample::print_canvas watch(
      out, [&](token t) { return words[static_cast<std::size_t>(t)]; }, options);
  const std::vector<canvas> starts(rows, canvas::blank(length));
  decode(model, std::span{starts}, compose(order::left_to_right{k}, draw::argmax{}), {}, watch);
  return out.str();
}

}  // namespace

TEST_CASE("running text: one line below the other, no escape codes where there is no terminal") {
  CHECK(printed(4, 2, {.mask = "_ "}) ==
        "start: 4 masked\n"
        "_ _ _ _ \n"
        "step 0: 2 masked\n"
        "The cät _ _ \n"
        "step 1: 0 masked\n"
        "The cät sat on \n");
}

TEST_CASE("long text breaks at the width, counted in characters, between tokens; control characters are blanks") {
  CHECK(printed(6, 6, {.width = 8}) ==
        "start: 6 masked\n"
        "______\n"
        "step 0: 0 masked\n"
        "The cät \n"
        "sat on \n"
        "a mat \n");
}

TEST_CASE("a grid: so many positions a line, padded to equal width") {
  CHECK(printed(5, 3, {.columns = 3, .mask = "."}) ==
        "start: 5 masked\n"
        ". . .\n"
        ". .\n"
        "step 0: 2 masked\n"
        "The  cät  sat \n"
        "   .    .\n"
        "step 1: 0 masked\n"
        "The  cät  sat \n"
        " on    a \n");
}

TEST_CASE("on a terminal: in place, what is new in bold") {
  CHECK(printed(2, 1, {.style = sample::print_style::in_place}) ==
        "start: 2 masked\n"
        "__\n"
        "\x1b[2A\r\x1b[J"
        "step 0: 1 masked\n"
        "\x1b[1mThe \x1b[0m_\n"
        "\x1b[2A\r\x1b[J"
        "step 1: 0 masked\n"
        "The \x1b[1mcät \x1b[0m\n");
}

TEST_CASE("of a batch, one row is printed") {
  CHECK(printed(2, 1, {.row = 1}, 3) == printed(2, 1, {}));
  CHECK(printed(2, 1, {.row = 3}, 3).empty());
}

TEST_CASE("a stream that is no terminal is known as such") {
  std::ostringstream out;
  CHECK_FALSE(sample::is_terminal(out));
}
