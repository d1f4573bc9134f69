#include "lacuna/window/none.hpp"

#include <doctest/doctest.h>

#include "tests/window/sizes.hpp"

TEST_CASE("without a window the draft covers all that is left") {
  CHECK(lacuna::tests::sizes(lacuna::window::none{}, 7) == std::vector<std::size_t>{7});
  CHECK(lacuna::window::none{}(3, 7) == 4);
}
