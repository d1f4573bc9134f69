#include "lacuna/window/constant.hpp"

#include <doctest/doctest.h>

#include "tests/window/sizes.hpp"

TEST_CASE("a constant window is cut short at the end only") {
  CHECK(lacuna::tests::sizes(lacuna::window::constant{3}, 8) == std::vector<std::size_t>{3, 3, 2});
  CHECK(lacuna::tests::sizes(lacuna::window::constant{30}, 8) == std::vector<std::size_t>{8});
}

TEST_CASE("a constant window of no positions is refused") {
  CHECK_THROWS_WITH_AS(lacuna::window::constant{0}.validate(), "window::constant: k = 0, expected at least 1 position",
                       lacuna::invalid_argument);
  CHECK_NOTHROW(lacuna::window::constant{1}.validate());
}
