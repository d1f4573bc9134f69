#include "lacuna/likelihood/order_elbo.hpp"

#include <doctest/doctest.h>

#include <array>

#include "lacuna/likelihood/at_least_one.hpp"
#include "lacuna/likelihood/renormalised.hpp"
#include "lacuna/likelihood/softmax_share.hpp"
#include "tests/support/order_fixture.hpp"

namespace {

using namespace order_test;
using namespace lacuna::likelihood;

/// Both bounds by enumeration, at several temperatures of a posterior.
template <class Q>
void check_bounds() {
  for (const double tau : {0.05, 0.5, 5.0})
    for (const std::size_t budget : std::array<std::size_t, 4>{1, 2, 3, 5}) {
      sequence s;
      const Q q{tau};
      const auto paths = s.all_paths(budget);
      const auto rb = [&](const scored_path& p) { return rao_blackwellised(q, s.scores, p.path, p.log_p, p.logits).nats(); };
      const auto plain_one = [&](const scored_path& p) { return plain(q, s.scores, p.path, p.log_p, p.logits).nats(); };
      CHECK(std::abs(expected(q, s, paths, [](const scored_path&) { return 1.0; }) - 1) < 1e-9);
      const double bound = expected(q, s, paths, rb);
      CHECK(std::abs(expected(q, s, paths, plain_one) - bound) < 1e-9);
      const auto variance = [&](const auto& f) {
        return expected(q, s, paths, [&](const scored_path& p) { return (f(p) - bound) * (f(p) - bound); });
      };
      CAPTURE(tau);
      CAPTURE(budget);
      // On the forced step of a budget of 1 nothing is drawn. Given the state summing out takes all noise away; along a path it
      // is a gain where the posterior is nearly sure, a loss where steps are drawn freely.
      if (budget == 1)
        CHECK(variance(plain_one) < 1e-18);
      else if (tau == 0.05)
        CHECK(variance(rb) < variance(plain_one));
      else if (tau == 5)
        CHECK(variance(rb) > variance(plain_one));
      double likelihood = 0;
      for (const auto& p : paths) likelihood += std::exp(log_joint(p.path, p.log_p, p.logits));
      CHECK(bound <= std::log(likelihood) + 1e-12);
      CHECK(expected(q, s, paths, plain_one) <= std::log(likelihood) + 1e-12);
      if (budget == 1) {  // everything at once: no choice, nothing to diverge from
        double sum = 0;
        for (const double v : s.log_p(paths.front().path.masked(0))) sum += v;
        CHECK(std::abs(bound - sum) < 1e-12);
        CHECK(paths.size() == 1);
        CHECK(rao_blackwellised(q, s.scores, paths[0].path, paths[0].log_p, paths[0].logits).divergence == 0);
      }
    }
}

}  // namespace

TEST_CASE(
    "the plain and the Rao-Blackwellised bound have the same mean, which is a bound; the second varies less where tau is "
    "small") {
  check_bounds<renormalised>();
  check_bounds<softmax_share>();
  check_bounds<at_least_one>();
}

TEST_CASE("the bound is met where the posterior is the order's own choice given x") {
  // one masked position: the first step reveals it with probability pi, or the last one does
  sequence s;
  const std::vector<std::size_t> one{1};
  reveal_path path{1};
  path.add(one, std::vector<std::uint8_t>{1});
  const scored_path p = s.scored(path);
  CHECK(std::abs(rao_blackwellised(renormalised{}, s.scores, p.path, p.log_p, p.logits).nats() -
                 log_joint(p.path, p.log_p, p.logits)) < 1e-12);
}

TEST_CASE("the order's probability stays away from 0 and 1, and keeps a gradient there") {
  CHECK(clamped_reveal(-800) == 1e-4);
  CHECK(std::abs(clamped_reveal(800) - (1 - 1e-4)) < 1e-12);
  for (const double l : {-6.0, -1.0, 0.0, 2.5, 9.0})
    CHECK(std::abs((clamped_reveal(l + 1e-6) - clamped_reveal(l - 1e-6)) / 2e-6 - clamped_reveal_slope(l)) < 1e-8);
  sequence s;
  const auto paths = s.all_paths(3);
  scored_path far = paths.front();
  for (double& l : far.logits) l = 900;
  CHECK(std::isfinite(rao_blackwellised(renormalised{}, s.scores, far.path, far.log_p, far.logits).nats()));
  for (double& l : far.logits) l = -900;
  CHECK(std::isfinite(rao_blackwellised(renormalised{}, s.scores, far.path, far.log_p, far.logits).nats()));
}

TEST_CASE("arrays of another size than the path are refused") {
  sequence s;
  const auto paths = s.all_paths(2);
  scored_path p = paths.front();
  p.log_p.pop_back();
  CHECK_THROWS_AS(rao_blackwellised(renormalised{}, s.scores, p.path, p.log_p, p.logits), invalid_argument);
  CHECK_THROWS_AS(log_joint(p.path, p.log_p, p.logits), invalid_argument);
}
