#include "lacuna/remask/remdm_rescale.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "tests/support/committed_fixture.hpp"
#include "tests/support/statistics_test.hpp"

namespace {

using lacuna::remask::remdm_rescale;
using lacuna::testing::committed_fixture;
using lacuna::testing::four_sigma;
using lacuna::testing::remask_counts;

static_assert(lacuna::remask_policy<remdm_rescale>);
static_assert(lacuna::has_remask_rate<remdm_rescale>);
static_assert(lacuna::needs_of<remdm_rescale> == lacuna::statistics::none);

TEST_CASE("the rate is eta times the admissible one") {
  CHECK(remdm_rescale{0.3}.rate({0.0, 0.1, 9}) == 0.3);
  CHECK(remdm_rescale{0.3}.rate({0.5, 0.6, 4}) == doctest::Approx(0.24));
  CHECK(remdm_rescale{0.3}.rate({0.8, 0.9, 1}) == doctest::Approx(0.0375));
  CHECK(remdm_rescale{1}.rate({0.9, 1.0, 0}) == 0);
}

TEST_CASE("every committed token is masked again with the rescaled rate") {
  lacuna::step_view view;
  view.time = {0.5, 0.6, 4};
  constexpr std::size_t runs = 5000;
  for (const std::size_t count : remask_counts(remdm_rescale{0.5}, view, committed_fixture(3), runs)) {
    const double share = static_cast<double>(count) / runs;
    CHECK(std::abs(share - 0.4) < four_sigma(0.24, runs));
    CHECK(std::abs(share - 0.5) > four_sigma(0.24, runs));  // eta itself it is not
  }
}

TEST_CASE("remdm_rescale refuses what is no probability") {
  CHECK_NOTHROW(remdm_rescale{}.validate());
  CHECK_THROWS_WITH_AS(remdm_rescale{-1}.validate(), "remask::remdm_rescale: eta = -1.000000, expected a probability, 0 to 1",
                       lacuna::invalid_argument);
}

}  // namespace
