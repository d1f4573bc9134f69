#include "lacuna/rank/margin.hpp"

#include <doctest/doctest.h>

#include "tests/support/step_fixture.hpp"

namespace {

using lacuna::testing::step_fixture;

static_assert(lacuna::rank_policy<lacuna::rank::margin>);
static_assert(lacuna::needs_of<lacuna::rank::margin> == lacuna::statistics::margin);

TEST_CASE("rank::margin is the lead of the best token over the second") {
  auto f = step_fixture::from_rows({{0.5, 0.3, 0.2}, {0.4, 0.4, 0.2}, {1.0, 0.0, 0.0}});
  const auto view = f.view();
  CHECK(lacuna::rank::margin{}(view, 0) == doctest::Approx(0.2));
  CHECK(lacuna::rank::margin{}(view, 1) == doctest::Approx(0.0));
  CHECK(lacuna::rank::margin{}(view, 2) == doctest::Approx(1.0));
}

}  // namespace
