// The mean over orders is a lower bound, and estimated without bias.
#include "lacuna/likelihood/elbo.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "lacuna/adapt/any_order_verify.hpp"
#include "lacuna/likelihood/scored.hpp"
#include "lacuna/problems/draft_verify_table.hpp"
#include "lacuna/problems/joint_table.hpp"
#include "lacuna/window/constant.hpp"
#include "lacuna/window/none.hpp"

using namespace lacuna;
using likelihood::elbo;
using likelihood::log_likelihood;
using problems::draft_verify_table;

namespace {

/// log p(x | sigma) for every order of `scored`.
template <class Model, class Window>
std::vector<double> of_all_orders(Model& model, const std::vector<token>& x, std::vector<std::size_t> scored,
                                  const Window& window, const likelihood::speculation& how) {
  std::vector<double> nats;
  std::sort(scored.begin(), scored.end());
  do nats.push_back(log_likelihood(model, x, scored, window, how).nats);
  while (std::next_permutation(scored.begin(), scored.end()));
  return nats;
}

/// Their mean and standard deviation, and the logarithm of the mean of p.
struct truth {
  double bound, spread, log_p;
  explicit truth(const std::vector<double>& nats) : bound{0}, spread{0}, log_p{0} {
    const auto n = static_cast<double>(nats.size());
    for (const double v : nats) {
      bound += v / n;
      log_p += std::exp(v) / n;
    }
    for (const double v : nats) spread += (v - bound) * (v - bound) / n;
    spread = std::sqrt(spread);
    log_p = std::log(log_p);
  }
};

}  // namespace

TEST_CASE("the mean over all orders is no more than log p(x), and what drawn orders give within their error") {
  auto model = draft_verify_table::random(3, 11, 1.5);
  const likelihood::speculation how{.verifications = 2};
  for (const std::vector<token>& x : {std::vector<token>{0, 1, 2, 0}, {2, 2, 1, 0}, {1, 0, 0, 2}})
    for (const std::vector<std::size_t>& scored : {std::vector<std::size_t>{0, 1, 2, 3}, {0, 2, 3}}) {
      const auto all = of_all_orders(model, x, scored, window::constant{3}, how);
      CHECK(all.size() == (scored.size() == 4 ? 24 : 6));
      const truth t{all};
      CHECK(t.spread > 0.05);
      CHECK(t.bound < t.log_p);
      constexpr std::size_t orders = 400;
      const auto b = elbo(model, x, scored, window::constant{3}, {.orders = orders, .seed = 3, .how = how});
      const double error = t.spread / std::sqrt(static_cast<double>(orders));
      CHECK(std::abs(b.nats - t.bound) < 4.5 * error);
      CHECK(std::abs(b.nats - t.log_p) > 4.5 * error);  // the gap is seen
      CHECK(std::abs(b.standard_error / error - 1) < 0.2);
      CHECK(b.tokens == scored.size());
      CHECK(b.cost.of(purpose::draft).rows == orders * scored.size());
      CHECK(b.cost.of(purpose::verify).rows == orders * scored.size());
      CHECK(b.cost.of(purpose::draft).calls == orders);
    }
}

TEST_CASE("where every order gives the same, the bound is log p(x)") {
  const auto joint = problems::joint_table::random(4, 3, 7);
  auto model = draft_verify_table::of(joint);
  problems::joint_table plain = joint;
  adapt::any_order_verify verifying{plain};
  const auto everything = likelihood::positions_from(0, 4);
  for (std::size_t k = 0; k < joint.size(); k += 9) {
    const auto x = joint.assignment(k);
    const double log_p = joint.log_probability(x);
    const auto b = elbo(model, x, everything, window::constant{1});
    CHECK(b.nats == doctest::Approx(log_p).epsilon(1e-5));
    CHECK(b.standard_error < 1e-5);
    CHECK(elbo(verifying, x, everything, window::none{}).nats == doctest::Approx(log_p).epsilon(1e-5));
    // given the first two: p(x_2, x_3 | x_0, x_1)
    std::vector<token> first(x.begin(), x.end());
    first[2] = first[3] = joint.mask_token();
    CHECK(elbo(model, x, likelihood::positions_from(2, 4), window::constant{1}).nats ==
          doctest::Approx(log_p - joint.log_probability(first)).epsilon(1e-5));
  }
}

TEST_CASE("a seed gives the same orders, whatever goes into a call; other seeds and streams others") {
  auto model = draft_verify_table::random(3, 11, 1.5);
  const std::vector<token> x{0, 1, 2, 0, 1, 2, 2};
  const auto everything = likelihood::positions_from(0, 7);
  const auto with = [&](const likelihood::elbo_options& o) { return elbo(model, x, everything, window::none{}, o).nats; };
  CHECK(with({.seed = 1, .how = {.rows_per_call = 2}}) == with({.seed = 1}));
  CHECK(with({.seed = 2}) != with({.seed = 1}));
  CHECK(with({.seed = 1, .stream = 1}) != with({.seed = 1}));
  CHECK(std::isnan(elbo(model, x, everything, window::none{}, {.orders = 1}).standard_error));
  CHECK_THROWS_WITH_AS(with({.orders = 0}), "likelihood::elbo: orders = 0, expected at least 1", invalid_argument);
}
