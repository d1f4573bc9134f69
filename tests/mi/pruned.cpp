#include "lacuna/mi/pruned.hpp"

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

static_assert(probing_mi_estimator<mi::pruned> && tells_probe_error<mi::pruned> && !tells_probe_error<mi::enumerated>);

namespace {

std::vector<token> kept(double epsilon, const std::vector<double>& p) {
  std::vector<probe_value> values;
  mi::pruned{epsilon}.values(testing::row_of(p), values, random_stream(0, stream_use::other));
  std::vector<token> tokens;
  for (const probe_value& v : values) tokens.push_back(v.value);
  return tokens;
}

}  // namespace

TEST_CASE("the fewest values whose mass is at least 1 - epsilon are put in") {
  const std::vector<double> p{0.04, 0.5, 0.0, 0.3, 0.06, 0.1};
  CHECK(kept(0, p) == std::vector<token>{1, 3, 5, 4, 0});
  CHECK(kept(0.039, p) == std::vector<token>{1, 3, 5, 4, 0});
  CHECK(kept(0.041, p) == std::vector<token>{1, 3, 5, 4});
  CHECK(kept(0.101, p) == std::vector<token>{1, 3, 5});
  CHECK(kept(0.49, p) == std::vector<token>{1, 3});
  CHECK(kept(0.501, p) == std::vector<token>{1});
  CHECK(kept(0.3, {0.25, 0.25, 0.25, 0.25}) == std::vector<token>{0, 1, 2});  // ties: the lower ones stay
}

TEST_CASE("a pruned estimate is too large, by no more than the error it tells") {
  const auto check = [](auto& model, const canvas& c, double epsilon) {
    const mi::information exact = mi::estimate(model, c, mi::enumerated{});
    const mi::information found = mi::estimate(model, c, mi::pruned{epsilon});
    double largest = 0;
    for (std::size_t a = 0; a < exact.size(); ++a)
      for (std::size_t b = 0; b < exact.size(); ++b) {
        CHECK(found.raw(a, b) - exact.raw(a, b) >= -1e-12);
        CHECK(found.raw(a, b) - exact.raw(a, b) <= found.error(a, b) + 1e-12);
        CHECK(found.error(a, b) <= epsilon * std::log(static_cast<double>(model.vocabulary_size())) + 1e-12);
        largest = std::max(largest, found.raw(a, b) - exact.raw(a, b));
      }
    CHECK(found.cost.rows() <= exact.cost.rows());
    if (epsilon == 0) CHECK(found.cost == exact.cost);
    return largest;
  };
  double largest = 0;
  for (const double epsilon : {0.0, 0.01, 0.1, 0.4}) {
    for (const context_of_table& c : known_contexts()) {
      CAPTURE(c.name);
      auto model = c.table;
      const double off = check(model, c.context, epsilon);
      largest = std::max(largest, off);
      if (epsilon == 0) CHECK(off < 1e-12);
    }
    whole network;
    largest = std::max(largest, check(network, canvas::blank(4), epsilon));
  }
  CHECK(largest > 0.1);  // the bound is put to the test
}

TEST_CASE("of a model that is sure few probes are left") {
  whole network;
  network.logits = [](std::span<const token> row, std::size_t l, std::span<float> out) {
    scrambled(row, l, out);
    out[l % 7] += 12;
  };
  CHECK(mi::estimate(network, canvas::blank(6), mi::enumerated{}).cost.of(purpose::probe).rows == 42);
  CHECK(mi::estimate(network, canvas::blank(6), mi::pruned{1e-2}).cost.of(purpose::probe).rows == 6);
}

TEST_CASE("pruned refuses what is not a mass") {
  CHECK_NOTHROW(mi::pruned{0}.validate());
  CHECK_THROWS_WITH_AS(mi::pruned{1}.validate(), "mi::pruned: epsilon = 1.000000, expected a mass, 0 <= epsilon < 1",
                       invalid_argument);
  CHECK_THROWS_AS(mi::pruned{-0.1}.validate(), invalid_argument);
  CHECK_THROWS_AS(mi::pruned{std::nan("")}.validate(), invalid_argument);
  auto t = twins(2);
  CHECK_THROWS_AS(mi::estimate(t, canvas::blank(2), mi::pruned{2}), invalid_argument);
}
