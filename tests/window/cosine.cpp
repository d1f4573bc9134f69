#include "lacuna/window/cosine.hpp"

#include <doctest/doctest.h>

#include <numeric>

#include "tests/window/sizes.hpp"

using lacuna::tests::sizes;
using lacuna::window::cosine;

TEST_CASE("the cosine window gives the published numbers of windows for 256 positions") {
  CHECK(sizes(cosine{0.01}, 256).size() == 80);
  CHECK(sizes(cosine{0.083}, 256).size() == 12);
}

TEST_CASE("cosine windows grow up to the last and add up to what there is") {
  for (const double delta : {0.02, 0.04, 0.3, 1.0}) {
    const auto all = sizes(cosine{delta}, 256);
    CHECK(std::accumulate(all.begin(), all.end(), std::size_t{0}) == 256);
    for (std::size_t w = 1; w + 1 < all.size(); ++w) CHECK(all[w] + 1 >= all[w - 1]);  // but for rounding
    if (delta < 0.1) CHECK(all[all.size() - 2] > all[0]);
  }
  CHECK(sizes(cosine{1}, 256).size() == 1);
}

TEST_CASE("a window in time outside of (0, 1] is refused") {
  for (const double delta : {0.0, -0.1, 1.01, std::nan("")})
    CHECK_THROWS_AS(cosine{delta}.validate(), lacuna::invalid_argument);
  CHECK_NOTHROW(cosine{1}.validate());
  CHECK_NOTHROW(cosine{0.002}.validate());
}
