#include "lacuna/order/guarded.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <span>
#include <vector>

#include "lacuna/draw/argmax.hpp"
#include "lacuna/draw/categorical.hpp"
#include "lacuna/mi/enumerated.hpp"
#include "lacuna/mi/pruned.hpp"
#include "lacuna/order/ancestral.hpp"
#include "lacuna/order/left_to_right.hpp"
#include "lacuna/order/mi_guided.hpp"
#include "lacuna/order/threshold.hpp"
#include "lacuna/order/top_k.hpp"
#include "lacuna/problems/joint_table.hpp"
#include "lacuna/problems/latin_square.hpp"
#include "lacuna/problems/markov_chain.hpp"
#include "lacuna/problems/permutation.hpp"
#include "lacuna/sample/compose.hpp"
#include "lacuna/sample/decode.hpp"

namespace {

using namespace lacuna;

constexpr double infinite = std::numeric_limits<double>::infinity();

/// Everything at once, from the left.
struct everything {
  static constexpr statistics needs = statistics::none;
  void select(const step_view& view, selection& out, const step_random&) const {
    for (std::size_t k = 0; k < view.size(); ++k) out.add(k);
  }
};

/// Says the same of each pair.
struct constant_information {
  double nats = 0;
  static constexpr statistics needs = statistics::none;
  void estimate(const step_view&, std::span<const std::size_t>, no_memory&, std::span<double> out) const {
    for (double& v : out) v = nats;
  }
};

static_assert(probing_order_policy<order::guarded<everything, mi::pruned>>);
static_assert(order_policy<order::guarded<everything, constant_information>> &&
              !probing_order_policy<order::guarded<everything, constant_information>>);
static_assert(restricting_order_policy<order::guarded<order::left_to_right, constant_information>>);
static_assert(!restricting_order_policy<order::guarded<everything, constant_information>>);

template <class O, class E>
concept can_be_guarded = requires {
  typename order::guarded<O, E>;
};
static_assert(!can_be_guarded<order::mi_guided<mi::pruned>, mi::pruned>, "an inner order that probes");

}  // namespace

TEST_CASE("of two positions that are each as good as the other one is revealed, and the second sees it") {
  // X0 = X1, either of two values; X2 is independent of both
  const problems::joint_table twins(3, 2, {3, 1, 0, 0, 0, 0, 3, 1});
  std::size_t wrong_alone = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const auto at_once = decode(twins, canvas::blank(3), compose(everything{}, draw::categorical{}), seed);
    wrong_alone += at_once.tokens[0] != at_once.tokens[1] ? 1 : 0;
    const auto r = decode(twins, canvas::blank(3),
                          compose(order::guarded{everything{}, mi::enumerated{}, 0.1}, draw::categorical{}), seed);
    CHECK(r.tokens[0] == r.tokens[1]);
    CHECK(r.steps == 2);
    CHECK(r.step[0] == 0);
    CHECK(r.step[1] == 1);
    CHECK(r.step[2] == 0);
    CHECK(r.cost.of(purpose::probe).rows > 0);
    CHECK(r.cost.of(purpose::decode).rows == 2);
  }
  CHECK(wrong_alone > 60);  // half of them
}

TEST_CASE("gamma = infinity is the inner order, on every problem; gamma = 0 lets only what shares nothing go together") {
  const auto check = [](const auto& model, std::size_t length) {
    const auto compare = [&](const auto& inner) {
      for (std::uint64_t seed = 0; seed < 5; ++seed) {
        const auto plain = decode(model, canvas::blank(length), compose(inner, draw::categorical{}), seed);
        const auto guarded = decode(model, canvas::blank(length),
                                    compose(order::guarded{inner, mi::pruned{1e-3}, infinite}, draw::categorical{}), seed);
        CHECK(guarded.tokens == plain.tokens);
        CHECK(guarded.step == plain.step);
        const auto careful = decode(model, canvas::blank(length),
                                    compose(order::guarded{inner, constant_information{1}, 0.0}, draw::categorical{}), seed);
        CHECK(careful.steps >= plain.steps);
      }
    };
    compare(everything{});
    compare(order::top_k{});
    compare(order::threshold{0.6});
    compare(order::left_to_right{2});
    compare(order::ancestral{3});
  };
  check(problems::joint_table::random(4, 3, 5), 4);
  check(problems::permutation{5}, 5);
  check(problems::latin_square{3}, 9);
  check(problems::markov_chain::sticky(2, 0.8), 6);
  const auto table = problems::joint_table::random(4, 3, 5);
  const auto one_by_one =
      decode(table, canvas::blank(4), compose(order::guarded{everything{}, constant_information{1}, 0.0}, draw::argmax{}), 1);
  CHECK(one_by_one.steps == 4);
  const auto together =
      decode(table, canvas::blank(4), compose(order::guarded{everything{}, constant_information{0}, 0.0}, draw::argmax{}), 1);
  CHECK(together.steps == 1);
}

TEST_CASE("a guard that cannot be is refused") {
  const auto table = problems::joint_table::random(3, 2, 1);
  const auto run = [&](double gamma) {
    return decode(table, canvas::blank(3), compose(order::guarded{everything{}, mi::enumerated{}, gamma}, draw::argmax{}), 1);
  };
  CHECK_THROWS_AS(run(-1), invalid_argument);
  CHECK_THROWS_AS(run(std::numeric_limits<double>::quiet_NaN()), invalid_argument);
  CHECK_THROWS_AS(decode(table, canvas::blank(3),
                         compose(order::guarded{everything{}, constant_information{infinite}, 1.0}, draw::argmax{}), 1),
                  model_error);
}
