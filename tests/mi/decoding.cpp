// What guidance by mutual information does to a distribution that is known: what is independent is drawn at once, and the joint
// distribution is kept. All at once is the control.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "lacuna/draw/categorical.hpp"
#include "lacuna/mi/enumerated.hpp"
#include "lacuna/mi/pruned.hpp"
#include "lacuna/order/dependence_bound.hpp"
#include "lacuna/order/entropy_bound.hpp"
#include "lacuna/order/mi_guided.hpp"
#include "lacuna/order/punt.hpp"
#include "lacuna/order/random.hpp"
#include "lacuna/problems/joint_table.hpp"
#include "lacuna/problems/markov_chain.hpp"
#include "lacuna/problems/permutation.hpp"
#include "lacuna/sample/compose.hpp"
#include "lacuna/sample/decode.hpp"
#include "tests/support/statistics_test.hpp"

using namespace lacuna;
using lacuna::testing::chi_square;
using lacuna::testing::chi_square_limit;
using problems::joint_table;

namespace {

constexpr std::size_t runs = 4200;
constexpr std::uint64_t seed = 20260301;

struct outcome {
  double misfit = 0;  ///< Pearson's statistic over what the limit allows: below 1 is a sample from the distribution
  double steps = 0;   ///< mean
  double probes = 0;  ///< mean, rows
};

/// Draws `runs` sequences and holds them against the truth.
template <class Model, class Order>
outcome draw_with(const Model& model, const joint_table& truth, Order order) {
  const std::vector<canvas> starts(runs, canvas::blank(truth.length()));
  Model m = model;
  const auto drawn = decode(m, std::span<const canvas>(starts), compose(std::move(order), draw::categorical{}),
                            decode_options{seed, unlimited});
  std::vector<std::size_t> counts(truth.size());
  outcome out;
  for (const decode_result& r : drawn.rows) {
    ++counts[truth.index_of(r.tokens)];
    out.steps += static_cast<double>(r.steps);
    out.probes += static_cast<double>(r.cost.of(purpose::probe).rows);
  }
  out.steps /= runs;
  out.probes /= runs;
  const std::vector<double> p(truth.probabilities().begin(), truth.probabilities().end());
  for (const double v : p) REQUIRE(v * runs >= 5);  // or Pearson's statistic does not have its distribution
  out.misfit = chi_square(counts, p) / chi_square_limit(p.size() - 1);
  return out;
}

/// Two pairs of positions: within a pair they depend on each other, between pairs they do not.
joint_table two_halves() {
  const joint_table left = joint_table(2, 3, {8, 1, 1, 1, 8, 1, 1, 1, 8});
  const joint_table right = joint_table(2, 3, {1, 6, 1, 1, 1, 6, 6, 1, 1});
  std::vector<double> weights;
  for (const double a : left.probabilities())
    for (const double b : right.probabilities()) weights.push_back(a * b);
  return joint_table(4, 3, std::move(weights));
}

const order::random<> at_once{pace::constant{100}};

}  // namespace

TEST_CASE("of two independent halves one position each is drawn at once, and the distribution is kept") {
  const joint_table t = two_halves();
  const outcome guided = draw_with(t, t, order::dependence_bound{mi::enumerated{}, 0.001});
  CHECK(guided.misfit < 1);
  CHECK(guided.steps == 2);
  const outcome pruned = draw_with(t, t, order::dependence_bound{mi::pruned{1e-4}, 0.001});
  CHECK(pruned.misfit < 1);
  CHECK(pruned.steps == 2);

  const outcome all = draw_with(t, t, at_once);
  CHECK(all.steps == 1);
  CHECK(all.misfit > 10);
  // a budget large enough for the dependence is spent on it
  CHECK(draw_with(t, t, order::dependence_bound{mi::enumerated{}, 5.0}).misfit > 10);
  // every position is uncertain, so that an entropy budget lets one through, and draws no worse for it
  const outcome by_entropy = draw_with(t, t, order::entropy_bound{0.001});
  CHECK(by_entropy.misfit < 1);
  CHECK(by_entropy.steps == 4);
}

TEST_CASE("of a Markov chain distant positions are drawn at once, and the distribution is kept") {
  // neighbours share .082 nats, positions two apart .013, three apart .0021, four apart .0003
  const auto chain = problems::markov_chain::sticky(2, 0.7);
  const joint_table truth = joint_table::of(chain, 6);
  const outcome guided = draw_with(chain, truth, order::dependence_bound{mi::enumerated{}, 0.003});
  CHECK(guided.misfit < 1);
  CHECK(guided.steps <= 4);
  CHECK(guided.probes > 0);

  CHECK(draw_with(chain, truth, at_once).misfit > 10);
  const outcome careless = draw_with(chain, truth, order::dependence_bound{mi::enumerated{}, 0.3});
  CHECK(careless.steps < guided.steps);
  CHECK(careless.misfit > 2);
}

TEST_CASE("a smaller gamma keeps more of the distribution and takes more steps") {
  const auto chain = problems::markov_chain::sticky(2, 0.7);
  const joint_table truth = joint_table::of(chain, 6);
  double misfit = 0;
  double steps = 1e9;
  for (const double gamma : {1e-6, 0.05, 1.0}) {
    const outcome o = draw_with(chain, truth, order::dependence_bound{mi::enumerated{}, gamma});
    CHECK(o.misfit > misfit);
    CHECK(o.steps < steps);
    misfit = o.misfit;
    steps = o.steps;
  }
}

TEST_CASE("tests of independence keep the two halves, too") {
  const joint_table t = two_halves();
  const outcome o = draw_with(t, t, order::punt{1e-3});
  CHECK(o.misfit < 1);
  CHECK(o.steps == 2);
}

TEST_CASE("where every position depends on every other one at a time is left") {
  // all tokens different: no statistic of a single row shows it
  problems::permutation all_different(4);
  const std::vector<canvas> starts(200, canvas::blank(4));
  for (const decode_result& r :
       decode(all_different, std::span<const canvas>(starts),
              compose(order::dependence_bound{mi::enumerated{}, 0.05}, draw::categorical{}), decode_options{seed, unlimited})
           .rows) {
    CHECK(r.steps == 4);
    CHECK(std::isfinite(all_different.log_probability(r.tokens)));
  }
}
