#include "lacuna/rank/left_to_right.hpp"

#include <doctest/doctest.h>

#include "tests/support/step_fixture.hpp"

namespace {

using lacuna::testing::step_fixture;

static_assert(lacuna::rank_policy<lacuna::rank::left_to_right>);
static_assert(lacuna::needs_of<lacuna::rank::left_to_right> == lacuna::statistics::none);

TEST_CASE("rank::left_to_right prefers the lower position, whatever its index among the candidates") {
  step_fixture f(10);
  const auto view = f.view({2, 3, 9});
  CHECK(lacuna::rank::left_to_right{}(view, 0) > lacuna::rank::left_to_right{}(view, 1));
  CHECK(lacuna::rank::left_to_right{}(view, 1) > lacuna::rank::left_to_right{}(view, 2));
  CHECK(lacuna::rank::left_to_right{}(view, 2) == -9.0);
}

}  // namespace
