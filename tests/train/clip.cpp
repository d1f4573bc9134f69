#include "lacuna/train/clip.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

namespace train = lacuna::train;

TEST_CASE("the norm is the root of the sum of squares, for every length") {
  std::vector<float> g;
  double sum = 0;
  for (std::size_t n = 0; n < 40; ++n) {
    CHECK(train::global_norm(g) == doctest::Approx(std::sqrt(sum)).epsilon(1e-14));
    g.push_back(static_cast<float>(n) - 7.5F);
    sum += static_cast<double>(g.back()) * static_cast<double>(g.back());
  }
}

TEST_CASE("the norm is the same bits wherever the numbers lie") {
  std::vector<float> memory(1100);
  double first = 0;
  for (std::size_t shift = 0; shift < 16; ++shift) {
    for (std::size_t i = 0; i < 1003; ++i) memory[shift + i] = std::sin(static_cast<float>(i));
    const double norm = train::global_norm(std::span{memory}.subspan(shift, 1003));
    if (shift == 0) first = norm;
    CHECK(norm == first);
  }
}

TEST_CASE("large and small numbers neither overflow nor vanish") {
  const std::vector<float> g{3e30F, 4e30F};
  CHECK(train::global_norm(g) == doctest::Approx(5e30));
  const std::vector<float> tiny{3e-30F, 4e-30F};
  CHECK(train::global_norm(tiny) == doctest::Approx(5e-30));
  const std::vector<float> broken{1, std::numeric_limits<float>::quiet_NaN()};
  CHECK(std::isnan(train::global_norm(broken)));
}

TEST_CASE("a norm over the limit is brought to it, one below is left alone") {
  CHECK(train::clip_factor(4, 1) == 0.25);
  CHECK(train::clip_factor(1, 1) == 1);
  CHECK(train::clip_factor(0.5, 1) == 1);
  CHECK(train::clip_factor(0, 1) == 1);
  CHECK(train::clip_factor(1e30, std::numeric_limits<double>::infinity()) == 1);
}
