#include "lacuna/rank/entropy.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "tests/support/step_fixture.hpp"

namespace {

using lacuna::testing::step_fixture;

static_assert(lacuna::rank_policy<lacuna::rank::entropy>);
static_assert(lacuna::needs_of<lacuna::rank::entropy> == lacuna::statistics::entropy);

TEST_CASE("rank::entropy puts the row with the lowest entropy first, in nats") {
  auto f = step_fixture::from_rows({{0.25, 0.25, 0.25, 0.25}, {0.5, 0.5, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}});
  const auto view = f.view();
  CHECK(lacuna::rank::entropy{}(view, 0) == doctest::Approx(-std::log(4.0)));
  CHECK(lacuna::rank::entropy{}(view, 1) == doctest::Approx(-std::log(2.0)));
  CHECK(lacuna::rank::entropy{}(view, 2) == 0);
}

}  // namespace
