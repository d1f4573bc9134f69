#include "lacuna/nn/rotary.hpp"

#include <vector>

#include <doctest/doctest.h>

#include "comparing.hpp"
#include "lacuna/nn/block.hpp"
#include "lacuna/nn/reference.hpp"
#include "small_networks.hpp"

namespace {

using namespace lacuna;
using comparing::exact;
using comparing::numbers;

}  // namespace

TEST_CASE("rotation equals the plain loops, and turning back undoes it") {
  for (const std::size_t width : {6U, 24U, 96U}) {
    nn::transformer_config c = small_networks::plain();
    c.width = width;
    const std::size_t length = 21;
    const nn::rotary_table table{c.max_length, c.head_width(), c.rotary_base};
    const std::vector<float> before = numbers(length * 3 * width, 1);
    std::vector<float> after = before;
    nn::turn_queries_and_keys(c, table, length, 0, after.data());
    std::vector<double> expected = exact(before);
    nn::reference::rotate(c, length, 1.0, expected);
    CHECK(comparing::difference(after, expected) < 1e-6);
    CHECK(comparing::difference(after, before) > 0.1);

    for (std::size_t l = 0; l < length; ++l) {
      table.turn_back(l, c.heads, after.data() + l * 3 * width);
      table.turn_back(l, c.heads, after.data() + l * 3 * width + width);
    }
    CHECK(comparing::difference(after, before) < 1e-6);
  }
}

TEST_CASE("a part of a row is rotated as it is in the whole row") {
  const nn::transformer_config c = small_networks::plain();
  const nn::rotary_table table{c.max_length, c.head_width(), c.rotary_base};
  std::vector<float> whole = numbers(21 * 3 * c.width, 1), parts = whole;
  nn::turn_queries_and_keys(c, table, 21, 0, whole.data());
  nn::turn_queries_and_keys(c, table, 8, 0, parts.data());
  nn::turn_queries_and_keys(c, table, 13, 8, parts.data() + 8 * 3 * c.width);
  CHECK(whole == parts);
}
