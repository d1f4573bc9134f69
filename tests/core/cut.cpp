#include "lacuna/core/cut.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "lacuna/core/random.hpp"

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

double kth_largest(const std::vector<double>& x, std::size_t k) {
  return lacuna::cut(
      x.size(), static_cast<double>(k), [&](std::size_t i) { return x[i]; }, [](std::size_t) { return 1.0; });
}

TEST_CASE("with weight 1 the cut is the k-th largest value, as sorting finds it") {
  lacuna::random_stream rng(11, lacuna::stream_use::other);
  for (std::size_t trial = 0; trial < 400; ++trial) {
    std::vector<double> x(1 + rng.below(40));
    // many ties, wide ranges and values one bit apart
    for (double& v : x) {
      const auto kind = rng.below(4);
      v = kind == 0   ? static_cast<double>(rng.below(5))
          : kind == 1 ? -std::exp(60 * rng.uniform())
          : kind == 2 ? 1.0 + 0x1p-52 * static_cast<double>(rng.below(3))
                      : std::log(rng.uniform_positive()) * 0x1p-1000;
    }
    auto sorted = x;
    std::sort(sorted.begin(), sorted.end(), std::greater<>());
    for (std::size_t k = 1; k <= x.size(); ++k) CHECK(kth_largest(x, k) == sorted[k - 1]);
  }
}

TEST_CASE("with probabilities as weights the cut is the edge of the nucleus") {
  const std::vector<double> p{0.1, 0.4, 0.2, 0.3};
  const auto edge = [&](double wanted) {
    return lacuna::cut(
        p.size(), wanted, [&](std::size_t i) { return p[i]; }, [&](std::size_t i) { return p[i]; });
  };
  CHECK(edge(0.0) == 0.4);
  CHECK(edge(0.4) == 0.4);
  CHECK(edge(0.41) == 0.3);
  CHECK(edge(0.71) == 0.2);
  CHECK(edge(0.95) == 0.1);
}

TEST_CASE("minus infinity counts for nothing, and too little weight cuts at the smallest value") {
  CHECK(kth_largest({-infinity, 3, -infinity, 1}, 2) == 1);
  CHECK(kth_largest({-infinity, 3, -infinity, 1}, 3) == 1);
  CHECK(kth_largest({-infinity, -infinity}, 1) == -infinity);
  CHECK(kth_largest({}, 1) == -infinity);
}

}  // namespace
