#include "lacuna/window/linear.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "tests/window/sizes.hpp"

using lacuna::tests::sizes;
using lacuna::window::linear;

TEST_CASE("linear windows are all of one size") {
  CHECK(sizes(linear{0.1}, 100) == std::vector<std::size_t>(10, 10));
  CHECK(sizes(linear{0.25}, 10) == std::vector<std::size_t>{3, 3, 3, 1});
  CHECK(sizes(linear{1}, 10) == std::vector<std::size_t>{10});
  CHECK(sizes(linear{1e-6}, 10) == std::vector<std::size_t>(10, 1));
}

TEST_CASE("a linear window of a whole number of positions has that many for every N, however it is rounded") {
  for (std::size_t n = 1; n <= 300; ++n)
    for (std::size_t parts = 1; parts <= n; ++parts)
      if (n % parts == 0) {
        const auto all = sizes(linear{1.0 / static_cast<double>(parts)}, n);
        CHECK(all == std::vector<std::size_t>(parts, n / parts));
      }
}
