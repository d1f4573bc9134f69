#include "lacuna/rank/drawn.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "tests/support/step_fixture.hpp"

namespace {

using lacuna::testing::step_fixture;

static_assert(lacuna::rank_policy<lacuna::rank::drawn>);
static_assert(lacuna::needs_of<lacuna::rank::drawn> == lacuna::statistics::none);

TEST_CASE("rank::drawn looks at the drawn token, not at the likeliest") {
  auto f = step_fixture::from_rows({{0.9, 0.1}, {0.6, 0.4}});
  f.drawn[0] = 1;
  f.drawn_log_probability[0] = std::log(0.1);
  const auto view = f.view();
  CHECK(lacuna::rank::drawn{}(view, 0) == std::log(0.1));
  CHECK(lacuna::rank::drawn{}(view, 0) < lacuna::rank::drawn{}(view, 1));
}

}  // namespace
