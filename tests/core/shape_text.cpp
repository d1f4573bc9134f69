#include "lacuna/core/shape_text.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <span>
#include <vector>

using namespace lacuna;

TEST_CASE("a shape is written as a list, whatever holds it") {
  CHECK(shape_text(std::vector<std::size_t>{2, 3, 40}) == "[2, 3, 40]");
  CHECK(shape_text(std::array<int, 1>{7}) == "[7]");
  CHECK(shape_text(std::span<const std::size_t>{}) == "[]");
}
