#include "lacuna/remask/remdm_cap.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "lacuna/draw/categorical.hpp"
#include "lacuna/order/ancestral.hpp"
#include "lacuna/sample/compose.hpp"
#include "lacuna/sample/decode.hpp"
#include "tests/support/committed_fixture.hpp"
#include "tests/support/statistics_test.hpp"

namespace {

using lacuna::remask::remdm_cap;
using lacuna::testing::committed_fixture;
using lacuna::testing::four_sigma;
using lacuna::testing::remask_counts;

static_assert(lacuna::remask_policy<remdm_cap>);
static_assert(lacuna::has_remask_rate<remdm_cap>);
static_assert(lacuna::needs_of<remdm_cap> == lacuna::statistics::none);
static_assert(remdm_cap{.eta = 0.1}.eta == 0.1);

TEST_CASE("the rate is eta as long as that is admissible") {
  CHECK(remdm_cap{0.3}.rate({0.0, 0.1, 9}) == 0.3);
  CHECK(remdm_cap{0.3}.rate({0.5, 0.6, 4}) == 0.3);
  CHECK(remdm_cap{0.3}.rate({0.8, 0.9, 1}) == doctest::Approx(0.125));
  CHECK(remdm_cap{0.3}.rate({0.9, 1.0, 0}) == 0);
}

TEST_CASE("every committed token is masked again with the rate") {
  lacuna::step_view view;
  view.time = {0.5, 0.6, 4};
  constexpr std::size_t runs = 5000;
  for (const std::size_t count : remask_counts(remdm_cap{0.3}, view, committed_fixture(4), runs)) {
    const double share = static_cast<double>(count) / runs;
    CHECK(std::abs(share - 0.3) < four_sigma(0.21, runs));
    CHECK(std::abs(share - 0.35) > four_sigma(0.21, runs));
  }
  view.time = {0.9, 1.0, 1};
  CHECK(masked_again(remdm_cap{1}, view, committed_fixture(4)).empty());
}

struct coin_flips {
  [[nodiscard]] std::size_t vocabulary_size() const { return 3; }
  [[nodiscard]] lacuna::token mask_token() const { return 2; }
  lacuna::tensor<float, 3> operator()(const lacuna::token_batch& x) const {
    lacuna::tensor<float, 3> logits({x.shape(0), x.shape(1), std::size_t{3}});
    logits.fill(0);
    return logits;
  }
};

TEST_CASE("with ancestral the share revealed stays on the curve, step for step") {
  constexpr std::size_t length = 400;
  constexpr std::size_t steps = 20;
  const auto sampler = lacuna::compose(lacuna::order::ancestral{steps}, lacuna::draw::categorical{}, remdm_cap{0.2});
  coin_flips model;
  std::size_t remasked = 0;
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    std::size_t done = 0;
    lacuna::decode(model, lacuna::canvas::blank(length), sampler, seed, [&](const lacuna::step_event& e) {
      ++done;
      remasked += e.remasked.size();
      const double share = static_cast<double>(e.sequence->count(lacuna::cell::committed)) / length;
      const double alpha = static_cast<double>(done) / steps;
      CHECK(std::abs(share - alpha) <= four_sigma(alpha * (1 - alpha), length));
    });
    CHECK(done == steps);
  }
  CHECK(remasked > 5 * length);  // several times over: 20 steps at rate 0.2, half of the tokens on average
}

TEST_CASE("remdm_cap refuses what is no probability") {
  CHECK_NOTHROW(remdm_cap{0}.validate());
  CHECK_NOTHROW(remdm_cap{1}.validate());
  CHECK_THROWS_WITH_AS(remdm_cap{1.5}.validate(), "remask::remdm_cap: eta = 1.500000, expected a probability, 0 to 1",
                       lacuna::invalid_argument);
  CHECK_THROWS_AS(remdm_cap{-0.1}.validate(), lacuna::invalid_argument);
  CHECK_THROWS_AS(remdm_cap{std::nan("")}.validate(), lacuna::invalid_argument);
}

}  // namespace
