#include "lacuna/mi/sampled.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "lacuna/mi/enumerated.hpp"
#include "lacuna/mi/estimate.hpp"
#include "tests/mi/oracles.hpp"
#include "tests/sample/models.hpp"
#include "tests/support/draw_fixture.hpp"

using namespace lacuna;
using namespace lacuna::tests;

static_assert(probing_mi_estimator<mi::sampled> && tells_probe_error<mi::sampled>);

namespace {

/// A control: values drawn without regard to how likely they are.
struct sampled_uniformly : mi::sampled {
  void values(std::span<const double> log_p, std::vector<probe_value>& out, random_stream rng) const {
    std::vector<double> flat(log_p.begin(), log_p.end());
    for (double& v : flat)
      if (v > -infinity) v = 0;
    normalize_row(flat);
    mi::sampled::values(flat, out, rng);
  }
};

struct summary {
  double standard_errors_off = 0;  ///< of the mean over the runs, for the worst pair
  double told = 0;                 ///< mean of the squared errors told, over the variance between runs, over all pairs
};

template <class E, class M>
summary run_many(M model, const canvas& c, const E& e, std::size_t runs) {
  const tensor<double, 2> exact = mi::estimate(model, c, mi::enumerated{}).raw;
  std::vector<mi::question> questions;
  for (std::size_t r = 0; r < runs; ++r) questions.push_back({c, {}, r});
  const auto found = mi::estimate(model, questions, e, {.seed = 11});
  const std::size_t n = exact.shape(0);
  summary s;
  double told = 0;
  double seen = 0;
  for (std::size_t a = 0; a < n; ++a)
    for (std::size_t b = 0; b < n; ++b) {
      if (a == b) continue;
      double mean = 0;
      double square = 0;
      for (const mi::information& i : found.of) {
        mean += i.raw(a, b) / static_cast<double>(runs);
        told += i.error(a, b) * i.error(a, b) / static_cast<double>(runs);
      }
      for (const mi::information& i : found.of)
        square += (i.raw(a, b) - mean) * (i.raw(a, b) - mean) / static_cast<double>(runs - 1);
      seen += square;
      const double off = std::abs(mean - exact(a, b)) / std::sqrt(square / static_cast<double>(runs) + 1e-24);
      s.standard_errors_off = std::max(s.standard_errors_off, off);
    }
  s.told = told / seen;
  return s;
}

}  // namespace

TEST_CASE("a sampled estimate is unbiased, with the standard error it tells") {
  constexpr std::size_t runs = 1000;
  whole network;
  network.vocabulary = 5;
  network.mask = 4;
  for (const std::size_t samples : {3U, 8U}) {
    const summary table = run_many(joint_table::random(4, 3, 5, 2), canvas::blank(4), mi::sampled{samples}, runs);
    const summary random = run_many(network, canvas::blank(3), mi::sampled{samples}, runs);
    for (const summary& s : {table, random}) {
      CHECK(s.standard_errors_off < 4);
      // a variance from 1000 runs of a bounded quantity is good to some 2/sqrt(1000) = 6 %: four times that
      CHECK(s.told > 0.75);
      CHECK(s.told < 1.25);
    }
  }
  CHECK(run_many(network, canvas::blank(3), sampled_uniformly{{8}}, runs).standard_errors_off > 8);  // the control
}

TEST_CASE("a value drawn twice is put in once, with twice the weight") {
  std::vector<probe_value> values;
  mi::sampled{400}.values(testing::row_of({0.5, 0.0, 0.25, 0.25}), values, random_stream(3, stream_use::order));
  REQUIRE(values.size() == 3);
  double sum = 0;
  for (const probe_value& v : values) {
    CHECK(v.value != 1);
    const double p = v.value == 0 ? 0.5 : 0.25;
    CHECK(std::abs(v.weight - p) < 4 * std::sqrt(p * (1 - p) / 400));
    sum += v.weight;
  }
  CHECK(sum == doctest::Approx(1).epsilon(1e-12));
}

TEST_CASE("sampled values follow seed and stream") {
  auto t = joint_table::random(4, 4, 1);
  const auto raw = [&](std::uint64_t seed, std::uint64_t stream) {
    const std::vector<mi::question> one{{canvas::blank(4), {}, stream}};
    return mi::estimate(t, one, mi::sampled{2}, {.seed = seed}).of[0].raw;
  };
  CHECK(raw(1, 1) == raw(1, 1));
  CHECK(raw(1, 1) != raw(2, 1));
  CHECK(raw(1, 1) != raw(1, 2));
}

TEST_CASE("one sample tells no error; none is refused") {
  auto t = joint_table::random(3, 3, 1);
  const mi::information found = mi::estimate(t, canvas::blank(3), mi::sampled{1});
  CHECK(found.error(0, 1) == infinity);
  CHECK(found.cost.of(purpose::probe).rows == 3);
  CHECK_THROWS_WITH_AS(mi::sampled{0}.validate(), "mi::sampled: samples = 0, expected at least 1", invalid_argument);
}
