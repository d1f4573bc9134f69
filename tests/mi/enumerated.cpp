#include "lacuna/mi/enumerated.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "lacuna/mi/estimate.hpp"
#include "tests/mi/oracles.hpp"
#include "tests/sample/models.hpp"

using namespace lacuna;
using namespace lacuna::tests;

static_assert(probing_mi_estimator<mi::enumerated> && !reading_mi_estimator<mi::enumerated>);
static_assert(mi_estimator_for<mi::enumerated, joint_table> && mi_estimator_for<mi::enumerated, ragged_selective>);

TEST_CASE("enumerated information is that of the joint distribution, in both directions") {
  for (const context_of_table& c : known_contexts()) {
    CAPTURE(c.name);
    auto model = c.table;
    const mi::information found = mi::estimate(model, c.context, mi::enumerated{});
    // logits are floats: entropies are off by some 1e-7
    CHECK(largest_difference(mi::over_sequence(found.raw, found.positions, c.context.size()), c.truth()) < 1e-6);
    CHECK(largest_difference(mi::over_sequence(found.cleaned(), found.positions, c.context.size()), c.truth()) < 1e-6);
    CHECK(is_clean(found.cleaned(), found.entropies));
  }
}

TEST_CASE("independent positions share nothing, a parity shares a bit once its third is known") {
  auto free = joint_table::independent({{1, 2, 3}, {3, 1, 1}, {1, 1, 1}});
  CHECK(largest_difference(mi::estimate(free, canvas::blank(3), mi::enumerated{}).raw, tensor<double, 2>({3, 3}, 0.0)) < 1e-6);
  auto xor_of_three = parity();
  CHECK(mi::estimate(xor_of_three, canvas::blank(3), mi::enumerated{}).raw(0, 1) == doctest::Approx(0).epsilon(1e-6));
  canvas third = canvas::blank(3);
  third.fix(2, 0);
  CHECK(mi::estimate(xor_of_three, third, mi::enumerated{}).raw(0, 1) == doctest::Approx(std::log(2)).epsilon(1e-6));
}

TEST_CASE("a network whose conditionals disagree has two directions, both as the formula says, and a clean matrix") {
  whole network;  // scrambled: a random table for every context
  canvas c = canvas::blank(6);
  c.fix(1, 3);
  c.fix(4, 7);  // the mask's id as text
  const mi::information found = mi::estimate(network, c, mi::enumerated{});
  CHECK(largest_difference(found.raw, by_the_formula(network, c)) < 1e-12);
  CHECK(found.positions == std::vector<std::size_t>{0, 2, 3, 5});
  bool differ = false;
  bool below_zero = false;
  for (std::size_t a = 0; a < 4; ++a)
    for (std::size_t b = 0; b < 4; ++b) {
      differ = differ || std::abs(found.raw(a, b) - found.raw(b, a)) > 0.01;
      below_zero = below_zero || found.raw(a, b) < -0.01;
    }
  CHECK(differ);
  CHECK(below_zero);
  CHECK(is_clean(found.cleaned(), found.entropies));
}

TEST_CASE("tokens that may not be generated are neither put in nor counted in an entropy") {
  whole network;
  network.forbidden = {1, 4};
  network.logits = [](std::span<const token> row, std::size_t l, std::span<float> out) {
    scrambled(row, l, out);
    out[1] = 3;  // the likeliest, were it not forbidden
  };
  const mi::information found = mi::estimate(network, canvas::blank(3), mi::enumerated{});
  CHECK(largest_difference(found.raw, by_the_formula(network, canvas::blank(3))) < 1e-12);
  CHECK(found.cost.of(purpose::probe).rows == 3 * 5);  // of 8: two forbidden and the mask
  network.forbidden = {4};
  CHECK(largest_difference(found.raw, by_the_formula(network, canvas::blank(3))) > 0.01);  // the control
}

TEST_CASE("a value of probability 0 costs no row; each other one costs one") {
  auto t = joint_table::independent({{0, 1, 4}, {1, 1, 1}, {0, 0, 1}});
  const mi::information found = mi::estimate(t, canvas::blank(3), mi::enumerated{});
  CHECK(found.cost.of(purpose::decode).rows == 1);
  CHECK(found.cost.of(purpose::probe).rows == 2 + 3 + 1);
}
