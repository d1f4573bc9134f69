#include "lacuna/remask/remdm.hpp"

#include <doctest/doctest.h>

namespace {

using lacuna::remask::largest_rate;

TEST_CASE("the largest admissible rate is (1 - alpha_s) / alpha_t, at most 1") {
  CHECK(largest_rate({0.0, 0.1, 9}) == 1);  // nothing is revealed yet
  CHECK(largest_rate({0.1, 0.2, 8}) == 1);
  CHECK(largest_rate({0.5, 0.6, 4}) == doctest::Approx(0.8));
  CHECK(largest_rate({0.9, 1.0, 0}) == 0);
  CHECK(largest_rate({0.9, 1.0 + 1e-16, 0}) >= 0);
}

TEST_CASE("at the largest rate the probability of revealing is one") {
  for (const double now : {0.55, 0.7, 0.9}) {
    const double next = now + 0.05;
    const double sigma = largest_rate({now, next, 1});
    CHECK((next - (1 - sigma) * now) / (1 - now) == doctest::Approx(1));
  }
}

}  // namespace
