#include "lacuna/mi/mixture.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "lacuna/mi/estimate.hpp"
#include "tests/mi/oracles.hpp"
#include "tests/sample/models.hpp"

using namespace lacuna;
using namespace lacuna::tests;

static_assert(probing_mi_estimator<mi::mixture> && !reading_mi_estimator<mi::mixture>);

TEST_CASE("the mixture form is the information of the joint distribution where there is one") {
  for (const context_of_table& c : known_contexts()) {
    CAPTURE(c.name);
    auto model = c.table;
    const mi::information found = mi::estimate(model, c.context, mi::mixture{});
    CHECK(largest_difference(mi::over_sequence(found.raw, found.positions, c.context.size()), c.truth()) < 1e-6);
  }
}

TEST_CASE("the mixture form is never negative, where the enumerated one is") {
  whole network;
  double least_mixture = 1;
  double least_enumerated = 1;
  for (token t = 0; t < 7; ++t) {
    canvas c = canvas::blank(5);
    c.fix(2, t);
    const auto mixed = mi::estimate(network, c, mi::mixture{}).raw;
    const auto enumerated = mi::estimate(network, c, mi::enumerated{}).raw;
    least_mixture = std::min(least_mixture, *std::min_element(mixed.begin(), mixed.end()));
    least_enumerated = std::min(least_enumerated, *std::min_element(enumerated.begin(), enumerated.end()));
    CHECK(largest_difference(mixed, enumerated) > 0.01);
  }
  CHECK(least_mixture >= 0);
  CHECK(least_enumerated < -0.1);
}

TEST_CASE("the mixture form is H of the mean row less the mean of H") {
  whole network;
  network.vocabulary = 3;
  network.mask = 2;
  const canvas c = canvas::blank(2);
  const auto before = rows_of(network, std::vector<token>{2, 2});
  std::vector<double> mean(3, 0.0);
  double conditional = 0;
  for (token v = 0; v < 2; ++v) {
    const auto after = rows_of(network, std::vector<token>{v, 2});
    const double p = std::exp(before[0][static_cast<std::size_t>(v)]);
    conditional += p * entropy(after[1]);
    for (std::size_t w = 0; w < 2; ++w) mean[w] += p * std::exp(after[1][w]);
  }
  const double mixed = -mean[0] * std::log(mean[0]) - mean[1] * std::log(mean[1]);
  CHECK(mi::estimate(network, c, mi::mixture{}).raw(0, 1) == doctest::Approx(mixed - conditional).epsilon(1e-12));
}
