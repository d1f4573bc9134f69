#include "lacuna/order/dependence_bound.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "lacuna/concepts/probing_order_policy.hpp"
#include "lacuna/draw/argmax.hpp"
#include "lacuna/mi/enumerated.hpp"
#include "lacuna/mi/pruned.hpp"
#include "lacuna/problems/joint_table.hpp"
#include "lacuna/problems/markov_chain.hpp"
#include "lacuna/problems/permutation.hpp"
#include "lacuna/sample/compose.hpp"
#include "lacuna/sample/decode.hpp"
#include "tests/sample/models.hpp"
#include "tests/support/guided_reference.hpp"
#include "tests/support/step_fixture.hpp"

namespace {

namespace order = lacuna::order;
namespace mi = lacuna::mi;
namespace problems = lacuna::problems;
using namespace lacuna::testing;
using lacuna::canvas;
using lacuna::compose;
using lacuna::decode;
using lacuna::purpose;
using positions = std::vector<std::size_t>;

constexpr double infinite = std::numeric_limits<double>::infinity();

/// Says that neighbours share `near`, others nothing.
struct neighbours {
  double near = 0.1;
  static constexpr auto needs = lacuna::statistics::none;
  void estimate(const lacuna::step_view& view, std::span<const std::size_t> candidates, lacuna::no_memory&,
                std::span<double> out) const {
    for (std::size_t a = 0; a < candidates.size(); ++a)
      for (std::size_t b = 0; b < candidates.size(); ++b) {
        const std::size_t i = view.positions[candidates[a]];
        const std::size_t j = view.positions[candidates[b]];
        out[a * candidates.size() + b] = i + 1 == j || j + 1 == i ? near : 0;
      }
  }
};

static_assert(lacuna::order_policy<order::dependence_bound<neighbours>>);
static_assert(!lacuna::probing_order_policy<order::dependence_bound<neighbours>>);
static_assert(lacuna::needs_of<order::dependence_bound<neighbours>> == (lacuna::statistics::entropy | neighbours::needs));
static_assert(lacuna::probing_order_policy<order::dependence_bound<mi::pruned>>);
static_assert(order::dependence_bound{mi::enumerated{}, 0.2}.gamma == 0.2);

}  // namespace

TEST_CASE("dependence_bound takes what shares little with what is in, however uncertain") {
  step_fixture f(6);
  f.entropy = {1.0, 1.0, 1.0, 1.0, 1.0, 1.0};
  CHECK(choose(order::dependence_bound{neighbours{0.1}, 0.05}, f) == positions{0, 2, 4});
  CHECK(choose(order::dependence_bound{neighbours{0.1}, 0.15}, f) == positions{0, 1, 3, 5});  // 1 costs .1, 2 then .1 again
  CHECK(choose(order::dependence_bound{neighbours{0.1}, 0.25}, f) == positions{0, 1, 2, 4});
  CHECK(choose(order::dependence_bound{neighbours{0.1}, 0.25, 3.0}, f) == positions{0, 2, 4});
  CHECK(choose(order::dependence_bound{neighbours{0.1}, infinite}, f) == positions{0, 1, 2, 3, 4, 5});
}

TEST_CASE("no position costs more than its entropy") {
  step_fixture f(3);
  f.entropy = {0.01, 2.0, 0.02};
  // sorted 0, 2, 1: 1 shares min(5, .01) with 0 and min(5, .02) with 2
  CHECK(choose(order::dependence_bound{neighbours{5}, 0.031}, f) == positions{0, 2, 1});
  CHECK(choose(order::dependence_bound{neighbours{5}, 0.029}, f) == positions{0, 2});
  f.entropy = {2.0, 0.01, 2.0};
  CHECK(choose(order::dependence_bound{neighbours{5}, 0.021}, f) == positions{1, 0, 2});
}

TEST_CASE("the probed pairs lead to the choices of the whole matrix") {
  comparison all;
  const auto check = [&](auto model, const canvas& c, const auto& estimator, double gamma, double lambda) {
    const auto sampler = compose(order::dependence_bound{estimator, gamma, lambda}, lacuna::draw::argmax{});
    const comparison found = compare(model, c, sampler, estimator, gamma, lambda, lesser_of, running);
    CHECK(found.different == 0);
    CHECK(found.most_rounds <= 1);
    CHECK(found.probes <= found.all_probes);
    all += found;
  };
  for (const double gamma : {0.0, 0.01, 0.1, 0.5, 2.0})
    for (std::size_t seed = 0; seed < 4; ++seed) {
      check(problems::joint_table::random(5, 3, seed, 2), canvas::blank(5), mi::enumerated{}, gamma, 1.0);
      check(problems::markov_chain::random(3, seed), canvas::blank(8), mi::pruned{0.01}, gamma, 1.0);
    }
  canvas c = canvas::blank(9);
  c.fix(4, 2);
  for (const double gamma : {0.1, 0.5, 1.5}) check(lacuna::tests::whole{}, c, mi::enumerated{}, gamma, 1.0);
  CHECK(all.together > 30);
}

TEST_CASE("more rounds of probes lead to the same choices with fewer rows") {
  const auto rows = [](auto model, const canvas& c, double gamma, std::size_t rounds, std::size_t& together) {
    const auto sampler = compose(order::dependence_bound{mi::enumerated{}, gamma, 1.0, rounds}, lacuna::draw::argmax{});
    const comparison found = compare(model, c, sampler, mi::enumerated{}, gamma, 1.0, lesser_of, running);
    CHECK(found.different == 0);
    CHECK(found.most_rounds <= rounds);
    CHECK(found.probes <= found.all_probes);
    together += found.together;
    return found.probes;
  };
  std::size_t together = 0;
  for (std::size_t seed = 0; seed < 3; ++seed) {
    const auto chain = problems::markov_chain::random(3, seed);
    const std::size_t at_once = rows(chain, canvas::blank(16), 0.01, 1, together);
    const std::size_t by_and_by = rows(chain, canvas::blank(16), 0.01, 100, together);
    CHECK(by_and_by * 3 < at_once * 2);
    CHECK(rows(chain, canvas::blank(16), 0.01, 2, together) <= at_once);
  }
  // where all depends on all, what the first one tells settles it
  const problems::permutation all_different(7);
  CHECK(rows(all_different, canvas::blank(7), 0.01, 8, together) * 4 <
        rows(all_different, canvas::blank(7), 0.01, 1, together));
  for (const double gamma : {0.1, 0.5, 1.5})
    for (const std::size_t rounds : {2U, 3U, 5U, 100U}) {
      rows(lacuna::tests::whole{}, canvas::blank(8), gamma, rounds, together);
      rows(problems::joint_table::random(5, 3, 7, 2), canvas::blank(5), gamma, rounds, together);
    }
  CHECK(together > 20);
}

TEST_CASE("copies never go together, independent positions always") {
  problems::joint_table pair(2, 2, {1, 0, 0, 1});
  const auto steps = [](auto model, std::size_t length, double gamma) {
    return decode(model, canvas::blank(length),
                  compose(order::dependence_bound{mi::enumerated{}, gamma}, lacuna::draw::argmax{}))
        .steps;
  };
  CHECK(steps(pair, 2, 0.69) == 2);
  CHECK(steps(pair, 2, 0.70) == 1);  // log 2 is paid
  CHECK(steps(problems::joint_table::independent(std::vector<std::vector<double>>(6, {1, 2, 1})), 6, 1e-5) == 1);
}

TEST_CASE("all rows of a batch probe in one call") {
  lacuna::tests::ragged_selective network;
  std::vector<canvas> starts;
  for (const std::size_t length : {4U, 6U, 5U}) starts.push_back(canvas::blank(length));
  const auto sampler = compose(order::dependence_bound{mi::enumerated{}, 0.3}, lacuna::draw::argmax{});
  const auto r = decode(network, std::span<const canvas>(starts), sampler);
  std::size_t longest = 0;
  for (const auto& row : r.rows)
    longest = std::max(longest, row.cost.of(purpose::decode).calls + row.cost.of(purpose::probe).calls);
  CHECK(r.network.calls == longest);  // rows that probe go with rows that make their pass
}

TEST_CASE("dependence_bound refuses what is not a budget or a weight") {
  CHECK_NOTHROW((order::dependence_bound{mi::pruned{}, 0.0, 0.0}.validate()));
  CHECK_THROWS_WITH_AS((order::dependence_bound{mi::pruned{}, -1.0}.validate()),
                       "order::dependence_bound: gamma = -1.000000 nats, expected at least 0", lacuna::invalid_argument);
  CHECK_THROWS_AS((order::dependence_bound{mi::pruned{}, std::nan("")}.validate()), lacuna::invalid_argument);
  CHECK_THROWS_AS((order::dependence_bound{mi::pruned{}, 0.1, -1.0}.validate()), lacuna::invalid_argument);
  CHECK_THROWS_AS((order::dependence_bound{mi::pruned{}, 0.1, 1.0, 0}.validate()), lacuna::invalid_argument);
  CHECK_THROWS_AS((order::dependence_bound{mi::pruned{-1}, 0.1}.validate()), lacuna::invalid_argument);
}
