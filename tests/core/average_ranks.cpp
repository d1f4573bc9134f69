#include "lacuna/core/average_ranks.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "lacuna/core/random.hpp"

using lacuna::average_ranks;

TEST_CASE("ranks count from 1, ties share the mean of their places") {
  CHECK(average_ranks(std::vector<double>{}).empty());
  CHECK(average_ranks(std::vector{3.0}) == std::vector{1.0});
  CHECK(average_ranks(std::vector{5.0, 2.0, 2.0}) == std::vector{3.0, 1.5, 1.5});
  CHECK(average_ranks(std::vector{1.0, 1.0, 1.0, 0.0}) == std::vector{3.0, 3.0, 3.0, 1.0});
  CHECK(average_ranks(std::vector{0.0, -0.0, -HUGE_VAL, HUGE_VAL}) == std::vector{2.5, 2.5, 1.0, 4.0});
}

TEST_CASE("a rank is one more than the number below and half the number of others equal") {
  lacuna::random_stream random{3, lacuna::stream_use::other, 0, 0};
  std::vector<double> x(200);
  for (double& v : x) v = static_cast<double>(random.below(40));
  const std::vector<double> ranks = average_ranks(x);
  for (std::size_t k = 0; k < x.size(); ++k) {
    double expected = 0.5;
    for (const double other : x) expected += other < x[k] ? 1 : other == x[k] ? 0.5 : 0;
    CHECK(ranks[k] == expected);
  }
}

TEST_CASE("what is not a number has no rank") {
  CHECK_THROWS_WITH_AS(average_ranks(std::vector{1.0, std::nan("")}), "average_ranks: number 1 is nan, expected a number",
                       lacuna::invalid_argument);
}
