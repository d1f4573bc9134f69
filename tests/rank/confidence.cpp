#include "lacuna/rank/confidence.hpp"

#include <doctest/doctest.h>

#include "tests/support/step_fixture.hpp"

namespace {

using lacuna::testing::step_fixture;

static_assert(lacuna::rank_policy<lacuna::rank::confidence>);
static_assert(lacuna::needs_of<lacuna::rank::confidence> == lacuna::statistics::confidence);

TEST_CASE("rank::confidence is the largest probability of the row") {
  auto f = step_fixture::from_rows({{0.5, 0.3, 0.2}, {0.1, 0.1, 0.8}});
  const auto view = f.view();
  CHECK(lacuna::rank::confidence{}(view, 0) == doctest::Approx(0.5));
  CHECK(lacuna::rank::confidence{}(view, 1) == doctest::Approx(0.8));
}

}  // namespace
