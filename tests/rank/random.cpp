#include "lacuna/rank/random.hpp"

#include <doctest/doctest.h>

#include "tests/support/statistics_test.hpp"
#include "tests/support/step_fixture.hpp"

namespace {

using lacuna::testing::step_fixture;

static_assert(lacuna::rank_policy<lacuna::rank::random>);
static_assert(!lacuna::plain_rank<lacuna::rank::random>);
static_assert(lacuna::needs_of<lacuna::rank::random> == lacuna::statistics::none);

TEST_CASE("rank::random depends on seed, row, step and position, not on which other candidates there are") {
  step_fixture f(8);
  const lacuna::step_random rng{7, lacuna::stream_use::order, 2, 3};
  const auto all = f.view();
  const double at_5 = lacuna::rank::random{}(all, 5, rng);
  const auto two = f.view({1, 5});
  CHECK(lacuna::rank::random{}(two, 1, rng) == at_5);
  CHECK(lacuna::rank::random{}(two, 0, rng) != at_5);
  CHECK(lacuna::rank::random{}(two, 1, {7, lacuna::stream_use::order, 2, 4}) != at_5);
  CHECK(lacuna::rank::random{}(two, 1, {7, lacuna::stream_use::order, 3, 3}) != at_5);
  CHECK(lacuna::rank::random{}(two, 1, {8, lacuna::stream_use::order, 2, 3}) != at_5);
}

TEST_CASE("rank::random makes every candidate the best equally often") {
  step_fixture f(5);
  const auto view = f.view();
  constexpr std::size_t runs = 20000;
  std::vector<std::size_t> best(5, 0);
  for (std::size_t run = 0; run < runs; ++run) {
    const lacuna::step_random rng{run, lacuna::stream_use::order, 0, 0};
    std::size_t top = 0;
    for (std::size_t k = 1; k < 5; ++k)
      if (lacuna::rank::random{}(view, k, rng) > lacuna::rank::random{}(view, top, rng)) top = k;
    ++best[top];
  }
  const double limit = lacuna::testing::chi_square_limit(4);
  CHECK(lacuna::testing::chi_square(best, {0.2, 0.2, 0.2, 0.2, 0.2}) < limit);
  CHECK(lacuna::testing::chi_square(best, {0.22, 0.195, 0.195, 0.195, 0.195}) > limit);  // a tenth off is seen
}

}  // namespace
