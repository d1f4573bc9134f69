#include "lacuna/remask/remdm_loop.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "lacuna/draw/categorical.hpp"
#include "lacuna/order/ancestral.hpp"
#include "lacuna/order/random.hpp"
#include "lacuna/sample/compose.hpp"
#include "lacuna/sample/decode.hpp"
#include "tests/support/statistics_test.hpp"

namespace {

using lacuna::pace::loop_curve;
using lacuna::remask::remdm_loop;
using lacuna::testing::four_sigma;

static_assert(lacuna::remask_policy<remdm_loop>);
static_assert(lacuna::has_remask_rate<remdm_loop>);
static_assert(lacuna::needs_of<remdm_loop> == lacuna::statistics::none);

TEST_CASE("tokens are masked again on the plateau only") {
  const remdm_loop r{.eta = 0.1, .curve = {0.5, 0.1, 0.8}};
  const auto at = [&](double elapsed) {
    return r.rate({r.curve.revealed(elapsed), r.curve.revealed(elapsed + 0.01), 1, elapsed});
  };
  CHECK(at(0.0) == 0);
  CHECK(at(0.49) == 0);
  CHECK(at(0.51) == 0.1);
  CHECK(at(0.89) == 0.1);
  CHECK(at(0.91) == 0);
}

TEST_CASE("eta is capped by what is admissible on the plateau") {
  const remdm_loop r{.eta = 0.5, .curve = {0.5, 0.1, 0.8}};
  CHECK(r.rate({0.8, 0.8, 1, 0.7}) == doctest::Approx(0.25));
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

TEST_CASE("with ancestral on the same curve the share revealed stands still while tokens come and go") {
  constexpr std::size_t length = 500;
  constexpr std::size_t steps = 40;
  constexpr loop_curve curve{0.5, 0.1, 0.8};
  coin_flips model;
  std::size_t done = 0;
  lacuna::decode(model, lacuna::canvas::blank(length),
                 lacuna::compose(lacuna::order::ancestral{steps, curve}, lacuna::draw::categorical{}, remdm_loop{0.1, curve}),
                 3, [&](const lacuna::step_event& e) {
                   ++done;
                   const double share = static_cast<double>(e.sequence->count(lacuna::cell::committed)) / length;
                   const double alpha = curve.revealed(static_cast<double>(done) / steps);
                   CHECK(std::abs(share - alpha) <= four_sigma(alpha * (1 - alpha), length));
                   if (done <= 20 || done > 36)
                     CHECK(e.remasked.empty());
                   else
                     CHECK(!e.remasked.empty());
                 });
  CHECK(done == steps);
}

TEST_CASE("with a number revealed a step the loop keeps the plateau exactly") {
  constexpr std::size_t length = 50;
  constexpr loop_curve curve{0.5, 0.1, 0.8};
  using pace = lacuna::pace::in_steps<loop_curve>;
  coin_flips model;
  std::size_t done = 0;
  lacuna::decode(model, lacuna::canvas::blank(length),
                 lacuna::compose(lacuna::order::random{pace{100, curve}}, lacuna::draw::categorical{}, remdm_loop{0.1, curve}),
                 3, [&](const lacuna::step_event& e) {
                   ++done;
                   if (done >= 50 && done < 90) CHECK(e.sequence->count(lacuna::cell::committed) == 40);
                 });
  CHECK(done == 100);
}

TEST_CASE("remdm_loop refuses a bad eta and a curve without a plateau") {
  CHECK_NOTHROW(remdm_loop{}.validate());
  CHECK_THROWS_WITH_AS((remdm_loop{2, {}}.validate()), "remask::remdm_loop: eta = 2.000000, expected a probability, 0 to 1",
                       lacuna::invalid_argument);
  CHECK_THROWS_AS((remdm_loop{0.1, {0.1, 0.5, 0.9}}.validate()), lacuna::invalid_argument);
}

}  // namespace
