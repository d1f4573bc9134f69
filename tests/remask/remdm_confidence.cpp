#include "lacuna/remask/remdm_confidence.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "lacuna/remask/remdm_cap.hpp"
#include "tests/support/committed_fixture.hpp"
#include "tests/support/statistics_test.hpp"

namespace {

namespace remask = lacuna::remask;
using lacuna::testing::committed_fixture;
using lacuna::testing::four_sigma;
using lacuna::testing::remask_counts;

static_assert(lacuna::remask_policy<remask::remdm_confidence<>>);
static_assert(lacuna::remask_policy<remask::remdm_confidence<remask::remdm_cap>>);
static_assert(!lacuna::has_remask_rate<remask::remdm_confidence<>>);
static_assert(lacuna::needs_of<remask::remdm_confidence<>> == lacuna::statistics::none);

TEST_CASE("the rate is divided by the softmax of minus the confidence at commit time") {
  const std::vector<double> psi{0.9, 0.1, 0.5};
  committed_fixture committed(3);
  for (std::size_t j = 0; j < 3; ++j) committed.commit_log_probability[j] = std::log(psi[j]);
  double z = 0;
  for (const double p : psi) z += std::exp(-p);
  lacuna::step_view view;
  view.time = {0.5, 0.6, 4};
  constexpr std::size_t runs = 20000;
  const auto counts = remask_counts(remask::remdm_confidence{remask::remdm_cap{0.7}}, view, committed, runs);
  for (std::size_t j = 0; j < 3; ++j) {
    const double expected = 0.7 * std::exp(-psi[j]) / z;
    const double share = static_cast<double>(counts[j]) / runs;
    CHECK(std::abs(share - expected) < four_sigma(expected * (1 - expected), runs));
    if (j != 2) CHECK(std::abs(share - 0.7 / 3) > four_sigma(0.2, runs));  // the unsure one comes more often, the sure one less
  }
}

TEST_CASE("a probability that underflowed to zero counts as zero confidence") {
  committed_fixture committed(2);
  committed.commit_log_probability = {-INFINITY, 0.0};
  lacuna::step_view view;
  view.time = {0.5, 0.5, 4};
  constexpr std::size_t runs = 5000;
  const auto counts = remask_counts(remask::remdm_confidence{remask::remdm_cap{1}}, view, committed, runs);
  const double expected = 1 / (1 + std::exp(-1.0));
  CHECK(std::abs(static_cast<double>(counts[0]) / runs - expected) < four_sigma(0.25, runs));
}

TEST_CASE("remdm_confidence asks the policy it divides") {
  CHECK_NOTHROW(remask::remdm_confidence{}.validate());
  CHECK_THROWS_AS(remask::remdm_confidence{remask::remdm_cap{2}}.validate(), lacuna::invalid_argument);
}

}  // namespace
