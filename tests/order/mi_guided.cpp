#include "lacuna/order/mi_guided.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "lacuna/concepts/probing_order_policy.hpp"
#include "lacuna/draw/argmax.hpp"
#include "lacuna/draw/categorical.hpp"
#include "lacuna/mi/enumerated.hpp"
#include "lacuna/mi/pruned.hpp"
#include "lacuna/order/blocks.hpp"
#include "lacuna/order/threshold.hpp"
#include "lacuna/problems/joint_table.hpp"
#include "lacuna/sample/compose.hpp"
#include "lacuna/sample/decode.hpp"
#include "lacuna/testing/function_model.hpp"
#include "tests/sample/models.hpp"
#include "tests/support/guided_reference.hpp"
#include "tests/support/step_fixture.hpp"

namespace {

namespace order = lacuna::order;
namespace mi = lacuna::mi;
namespace budget = lacuna::order::budget;
namespace problems = lacuna::problems;
using namespace lacuna::testing;
using lacuna::canvas;
using lacuna::compose;
using lacuna::decode;
using lacuna::purpose;
using lacuna::token;
using positions = std::vector<std::size_t>;

constexpr double infinite = std::numeric_limits<double>::infinity();

/// Reads a matrix [L, L] that it was given.
struct given {
  std::vector<double> information;
  std::size_t length = 0;
  static constexpr auto needs = lacuna::statistics::none;
  void estimate(const lacuna::step_view& view, std::span<const std::size_t> candidates, lacuna::no_memory&,
                std::span<double> out) const {
    for (std::size_t a = 0; a < candidates.size(); ++a)
      for (std::size_t b = 0; b < candidates.size(); ++b)
        out[a * candidates.size() + b] = information[view.positions[candidates[a]] * length + view.positions[candidates[b]]];
  }
};

static_assert(lacuna::order_policy<order::mi_guided<given>> && !lacuna::probing_order_policy<order::mi_guided<given>>);
static_assert(lacuna::probing_order_policy<order::mi_guided<mi::pruned>>);
static_assert(lacuna::probing_order_policy<order::blocks<order::mi_guided<mi::pruned>>>);
static_assert(lacuna::needs_of<order::mi_guided<given>> == lacuna::statistics::entropy);
static_assert(lacuna::needs_of<order::mi_guided<mi::pruned>> == (lacuna::statistics::entropy | lacuna::statistics::rows));
static_assert(order::mi_guided{mi::enumerated{}, 0.2, 0.5}.lambda == 0.5);
static_assert(order::mi_guided<mi::enumerated>{.gamma = 0.2}.gamma == 0.2);

/// Four positions of entropies .1 .2 .3 .4; 1 and 2 share .2.
step_fixture four() {
  step_fixture f(4);
  f.entropy = {0.1, 0.2, 0.3, 0.4};
  return f;
}
given shares(double i12) {
  given g{std::vector<double>(16, 0.0), 4};
  g.information[1 * 4 + 2] = g.information[2 * 4 + 1] = i12;
  return g;
}

/// A network whose conditionals agree with nothing, of few tokens.
lacuna::tests::whole scrambled_network(std::size_t vocabulary, float sharpness) {
  lacuna::tests::whole network;
  network.vocabulary = vocabulary;
  network.mask = static_cast<token>(vocabulary - 1);
  network.logits = [sharpness](std::span<const token> row, std::size_t l, std::span<float> out) {
    lacuna::tests::scrambled(row, l, out);
    for (float& v : out) v *= sharpness;
  };
  return network;
}

}  // namespace

TEST_CASE("mi_guided charges entropy and what is shared, and goes on behind what is too dear") {
  step_fixture f = four();
  CHECK(choose(order::mi_guided{shares(0.2), 0.31}, f) == positions{0, 1});  // .1 + .2, nothing is left
  CHECK(choose(order::mi_guided{shares(0.0), 0.61}, f) == positions{0, 1, 2});
  CHECK(choose(order::mi_guided{shares(0.2), 0.71}, f) == positions{0, 1, 3});  // 2 costs .3 + .2, .41 is left; 3 costs .4
  CHECK(choose(order::mi_guided{shares(0.2), 0.71, 0.5}, f) == positions{0, 1, 2});
  CHECK(choose(order::mi_guided{shares(0.2), 0.05}, f) == positions{0});  // none is cheap enough: the surest
}

TEST_CASE("the budget is spent as its mode says") {
  step_fixture f = four();
  CHECK(choose(order::mi_guided{shares(0.2), 0.45, 1.0, budget::threshold{}}, f) == positions{0, 1, 3});
  CHECK(choose(order::mi_guided{shares(0.2), 0.5, 1.0, budget::threshold{}}, f) == positions{0, 1, 2, 3});
  CHECK(choose(order::mi_guided{shares(0.1), 0.75, 1.0, budget::running{}}, f) == positions{0, 1, 2});
  CHECK(choose(order::mi_guided{shares(0.1), 0.75, 1.0, budget::running_entropy{}}, f) == positions{0, 1, 2});
  CHECK(choose(order::mi_guided{shares(0.1), 1.0, 1.0, budget::running{}}, f) == positions{0, 1, 2});
  CHECK(choose(order::mi_guided{shares(0.1), 1.01, 1.0, budget::running_entropy{}}, f) == positions{0, 1, 2, 3});
}

TEST_CASE("an estimate that is not symmetric is averaged, one out of range is clamped") {
  step_fixture f = four();
  given g = shares(0);
  g.information[1 * 4 + 2] = 0.2;  // the other direction is 0: .1
  CHECK(choose(order::mi_guided{g, 0.71}, f) == positions{0, 1, 2});
  CHECK(choose(order::mi_guided{g, 0.69}, f) == positions{0, 1});  // 2 costs .4, .39 is left; so does 3
  g.information[2 * 4 + 1] = -5;                                   // below 0: as 0
  CHECK(choose(order::mi_guided{g, 0.71}, f) == positions{0, 1, 2});
  g = shares(7);  // above the smaller entropy: .2
  CHECK(choose(order::mi_guided{g, 0.81}, f) == positions{0, 1, 2});
  CHECK(choose(order::mi_guided{g, 0.79}, f) == positions{0, 1, 3});
}

TEST_CASE("an estimate that is not a number is an error that names the pair, if it is asked for") {
  step_fixture f = four();
  given g = shares(std::nan(""));
  CHECK_THROWS_WITH_AS(choose(order::mi_guided{g, 0.65}, f),
                       "mi: the estimate for positions 1 and 2 is nan, expected a finite number of nats",
                       lacuna::estimator_error);
  CHECK_NOTHROW(choose(order::mi_guided{g, 0.15}, f));  // 2 is out of the question
}

TEST_CASE("in a batch such a row ends with the error and the others go on") {
  lacuna::tests::whole network = scrambled_network(5, 1);
  network.logits = [inner = network.logits](std::span<const token> row, std::size_t l, std::span<float> out) {
    inner(row, l, out);
    if (row[0] == 3 && row[1] == 2) std::fill(out.begin(), out.end(), std::nanf(""));
  };
  std::vector<canvas> starts(2, canvas::blank(4));
  starts[1].fix(0, 3);  // its probes with token 2 at position 1 bring nothing
  const auto r = decode(network, std::span<const canvas>(starts),
                        compose(order::mi_guided{mi::enumerated{}, 4.0}, lacuna::draw::argmax{}));
  CHECK(r.rows[0].reason == lacuna::stop_reason::complete);
  CHECK(r.rows[1].reason == lacuna::stop_reason::error);
  CHECK(r.rows[1].error == "row 1: mi: the estimate for positions 1 and 2 is nan, expected a finite number of nats");
}

TEST_CASE("with lambda 0 it is the running entropy budget, without a probe") {
  lacuna::random_stream rng(4, lacuna::stream_use::other);
  for (std::size_t trial = 0; trial < 100; ++trial) {
    step_fixture f(9);
    f.entropy.clear();
    for (std::size_t i = 0; i < 9; ++i) f.entropy.push_back(rng.uniform());
    positions sorted(9);
    for (std::size_t i = 0; i < 9; ++i) sorted[i] = i;
    std::sort(sorted.begin(), sorted.end(), [&](std::size_t a, std::size_t b) { return f.entropy[a] < f.entropy[b]; });
    positions expected;
    double left = 1.2;
    for (const std::size_t i : sorted) {
      if (f.entropy[i] > left) continue;
      expected.push_back(i);
      left -= f.entropy[i];
    }
    if (expected.empty()) expected.push_back(sorted[0]);
    given g{std::vector<double>(81, 0.5), 9};
    CHECK(choose(order::mi_guided{g, 1.2, 0.0}, f) == expected);
  }
  auto network = scrambled_network(6, 2);
  const auto c =
      compare(network, canvas::blank(10), compose(order::mi_guided{mi::enumerated{}, 1.0, 0.0}, lacuna::draw::argmax{}),
              mi::enumerated{}, 1.0, 0.0, sum_of, running);
  CHECK(c.different == 0);
  CHECK(c.probes == 0);
}

TEST_CASE("the few pairs that are probed lead to the choices of the whole matrix") {
  // on models whose conditionals agree with each other and on one where they do not, with each mode of the budget
  comparison all;
  const auto check = [&](auto model, const canvas& c, const auto& estimator, double gamma, double lambda) {
    const auto one = [&](auto spend, auto after) {
      const auto sampler = compose(order::mi_guided{estimator, gamma, lambda, spend}, lacuna::draw::argmax{});
      const comparison found = compare(model, c, sampler, estimator, gamma, lambda, sum_of, after);
      CHECK(found.different == 0);
      CHECK(found.most_rounds <= 1);  // one call of probes a step
      CHECK(found.probes <= found.all_probes);
      all += found;
    };
    one(budget::running{}, running);
    one(budget::threshold{}, threshold);
    one(budget::running_entropy{}, running_entropy);
  };
  for (const double gamma : {0.1, 0.5, 1.0, 2.0, 4.0})
    for (std::size_t seed = 0; seed < 4; ++seed) {
      check(problems::joint_table::random(5, 3, seed, 2), canvas::blank(5), mi::enumerated{}, gamma, 1.0);
      check(problems::joint_table::random(5, 3, seed, 2), canvas::blank(5), mi::pruned{0.1}, gamma, 2.0);
    }
  for (const double gamma : {0.3, 1.0, 3.0}) {
    canvas c = canvas::blank(9);
    c.fix(4, 2);
    check(scrambled_network(6, 2), c, mi::enumerated{}, gamma, 1.0);
    check(scrambled_network(6, 1), c, mi::pruned{0.05}, gamma, 0.5);
  }
  CHECK(all.together > 100);
  CHECK(all.silent > all.steps / 3);
  CHECK(all.probes * 2 < all.all_probes);
}

TEST_CASE("more rounds of probes lead to the same choices with no more rows") {
  const auto rows = [](double gamma, std::size_t rounds, auto spend, auto after) {
    auto network = scrambled_network(6, 2);
    const auto sampler = compose(order::mi_guided{mi::enumerated{}, gamma, 1.0, spend, rounds}, lacuna::draw::argmax{});
    const comparison found = compare(network, canvas::blank(9), sampler, mi::enumerated{}, gamma, 1.0, sum_of, after);
    CHECK(found.different == 0);
    CHECK(found.most_rounds <= rounds);
    return found.probes;
  };
  std::size_t at_once = 0;
  std::size_t by_and_by = 0;
  for (const double gamma : {0.5, 1.0, 2.0, 4.0}) {
    for (const std::size_t rounds : {1U, 2U, 100U}) {
      std::size_t& sum = rounds == 1 ? at_once : by_and_by;
      sum += rows(gamma, rounds, budget::running{}, running);
      sum += rows(gamma, rounds, budget::threshold{}, threshold);
      sum += rows(gamma, rounds, budget::running_entropy{}, running_entropy);
    }
  }
  CHECK(by_and_by <= 2 * at_once);  // the sum over two settings
}

TEST_CASE("a network that is sure of most is hardly ever probed") {
  // as a good model late in a Sudoku: most rows certain, a few not
  auto network = scrambled_network(6, 1);
  network.logits = [](std::span<const token> row, std::size_t l, std::span<float> out) {
    lacuna::tests::scrambled(row, l, out);
    if (l % 4 != 0) out[l % 5] += 14;
  };
  const auto sampler = compose(order::mi_guided{mi::pruned{1e-3}, 0.3}, lacuna::draw::argmax{});
  const comparison c = compare(network, canvas::blank(24), sampler, mi::pruned{1e-3}, 0.3, 1.0, sum_of, running);
  CHECK(c.different == 0);
  CHECK(c.probes * 20 < c.all_probes);
}

TEST_CASE("certain positions all go in one pass without a probe") {
  auto network = scrambled_network(6, 1);
  network.logits = [](std::span<const token>, std::size_t l, std::span<float> out) {
    for (std::size_t v = 0; v < out.size(); ++v) out[v] = v == l % 5 ? 1000.0F : 0.0F;
  };
  const auto r = decode(network, canvas::blank(12), compose(order::mi_guided{mi::enumerated{}, 0.0}, lacuna::draw::argmax{}));
  CHECK(r.steps == 1);
  CHECK(r.cost.calls() == 1);
}

TEST_CASE("on independent positions lambda does not matter") {
  auto free = problems::joint_table::independent(std::vector<std::vector<double>>(5, {1, 1, 1}));
  for (const double lambda : {0.0, 1.0, 100.0}) {
    // each costs log 3 = 1.0986 and what floats leave of an information of 0
    const auto r =
        decode(free, canvas::blank(5), compose(order::mi_guided{mi::enumerated{}, 2.2, lambda}, lacuna::draw::argmax{}));
    CHECK(r.steps == 3);
    CHECK(r.step == positions{0, 0, 1, 1, 2});
  }
}

TEST_CASE("a single mask, none, and a vocabulary of one") {
  auto network = scrambled_network(6, 1);
  const auto sampler = compose(order::mi_guided{mi::enumerated{}, 0.1}, lacuna::draw::argmax{});
  CHECK(decode(network, canvas::infill({1, 2}, {}), sampler).cost.calls() == 0);
  CHECK(decode(network, canvas::infill({1, 2}, positions{1}), sampler).cost.calls() == 1);
  auto one_token = scrambled_network(2, 1);
  const auto r = decode(one_token, canvas::blank(6), sampler);
  CHECK(r.steps == 1);
  CHECK(r.tokens == std::vector<token>(6, 0));
}

TEST_CASE("gamma 0 is one a step, an infinite gamma all at once without a probe") {
  auto network = scrambled_network(6, 1);
  const auto with = [&](double gamma) {
    return decode(network, canvas::blank(7), compose(order::mi_guided{mi::enumerated{}, gamma}, lacuna::draw::argmax{}));
  };
  CHECK(with(0).steps == 7);
  CHECK(with(0).cost.of(purpose::probe).rows == 0);
  CHECK(with(infinite).steps == 1);
  CHECK(with(infinite).cost.calls() == 1);
}

TEST_CASE("a strongly coupled pair fools a confidence threshold and not mi_guided") {
  // two positions, the same token, either of two
  problems::joint_table pair(2, 2, {1, 0, 0, 1});
  const auto broken = [&](const auto& sampler) {
    const std::vector<canvas> starts(400, canvas::blank(2));
    std::size_t n = 0;
    for (const auto& r : decode(pair, std::span<const canvas>(starts), sampler).rows) n += r.tokens[0] != r.tokens[1] ? 1 : 0;
    return n;
  };
  CHECK(broken(compose(order::threshold{0.4}, lacuna::draw::categorical{})) > 120);  // half of them
  CHECK(broken(compose(order::mi_guided{mi::enumerated{}, 1.0}, lacuna::draw::categorical{})) == 0);
}

TEST_CASE("positions that are copies go together only if the budget pays for entropy and information") {
  problems::joint_table pair(2, 2, {1, 0, 0, 1});
  const double bit = std::log(2);
  const auto steps = [&](double gamma, auto spend) {
    return decode(pair, canvas::blank(2),
                  compose(order::mi_guided{mi::enumerated{}, gamma, 1.0, spend}, lacuna::draw::argmax{}))
        .steps;
  };
  CHECK(steps(2.99 * bit, budget::running{}) == 2);
  CHECK(steps(3.01 * bit, budget::running{}) == 1);
  CHECK(steps(1.99 * bit, budget::threshold{}) == 2);
  CHECK(steps(2.01 * bit, budget::threshold{}) == 1);
  CHECK(steps(2.99 * bit, budget::running_entropy{}) == 2);
  CHECK(steps(3.01 * bit, budget::running_entropy{}) == 1);
}

TEST_CASE("mi_guided refuses what is not a budget or a weight, and what its estimator refuses") {
  CHECK_NOTHROW((order::mi_guided{mi::pruned{}, 0.0, 0.0}.validate()));
  CHECK_NOTHROW((order::mi_guided{mi::pruned{}, infinite}.validate()));
  CHECK_THROWS_WITH_AS((order::mi_guided{mi::pruned{}, -1.0}.validate()),
                       "order::mi_guided: gamma = -1.000000 nats, expected at least 0", lacuna::invalid_argument);
  CHECK_THROWS_AS((order::mi_guided{mi::pruned{}, std::nan("")}.validate()), lacuna::invalid_argument);
  CHECK_THROWS_AS((order::mi_guided{mi::pruned{}, 1.0, -0.5}.validate()), lacuna::invalid_argument);
  CHECK_THROWS_AS((order::mi_guided{mi::pruned{}, 1.0, infinite}.validate()), lacuna::invalid_argument);
  CHECK_THROWS_AS((order::mi_guided{mi::pruned{}, 1.0, 1.0, budget::running{}, 0}.validate()), lacuna::invalid_argument);
  CHECK_THROWS_AS((order::mi_guided{mi::pruned{1.5}, 1.0}.validate()), lacuna::invalid_argument);
}
