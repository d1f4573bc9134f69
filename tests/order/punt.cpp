#include "lacuna/order/punt.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "lacuna/concepts/probing_order_policy.hpp"
#include "lacuna/draw/argmax.hpp"
#include "lacuna/draw/categorical.hpp"
#include "lacuna/problems/joint_table.hpp"
#include "lacuna/rank/entropy.hpp"
#include "lacuna/rank/left_to_right.hpp"
#include "lacuna/sample/compose.hpp"
#include "lacuna/sample/decode.hpp"
#include "lacuna/sample/run.hpp"
#include "lacuna/testing/function_model.hpp"
#include "lacuna/testing/recording.hpp"
#include "tests/sample/models.hpp"

namespace {

namespace order = lacuna::order;
namespace rank = lacuna::rank;
using lacuna::canvas;
using lacuna::compose;
using lacuna::purpose;
using lacuna::token;
using positions = std::vector<std::size_t>;

static_assert(lacuna::probing_order_policy<order::punt<>>);
static_assert(order::punt{0.1}.epsilon == 0.1);

/// Each position listens to one other, `hears[i]` (itself: to none), and is unsure until that one is filled.
lacuna::tests::whole listeners(positions hears) {
  lacuna::tests::whole network;
  network.vocabulary = 4;
  network.mask = 3;
  network.logits = [hears](std::span<const token> row, std::size_t l, std::span<float> out) {
    std::fill(out.begin(), out.end(), 0.0F);
    out[0] = 0.5F;
    if (hears[l] != l && row[hears[l]] != 3) out[1] = 4;
  };
  return network;
}

/// The first step of a run with ranks from the left.
struct first_step {
  positions committed;
  std::size_t probes;
};
template <class Model>
first_step first(Model& model, std::size_t length, double epsilon = 0.05) {
  auto run =
      lacuna::start(model, compose(order::punt{epsilon, rank::left_to_right{}}, lacuna::draw::argmax{}), canvas::blank(length));
  const auto info = run.step();
  return {{info.committed.begin(), info.committed.end()}, run.cost().of(purpose::probe).rows};
}

}  // namespace

TEST_CASE("positions that nothing moves go together after log n tests") {
  for (const auto& [n, tests] :
       std::vector<std::pair<std::size_t, std::size_t>>{{1, 0}, {2, 1}, {3, 2}, {4, 2}, {5, 3}, {8, 3}, {9, 4}}) {
    positions nobody(n);
    for (std::size_t i = 0; i < n; ++i) nobody[i] = i;
    auto network = listeners(nobody);
    const first_step s = first(network, n);
    CHECK(s.committed == nobody);
    CHECK(s.probes == tests);
  }
}

TEST_CASE("of two that depend on each other the surer one stays, whichever hears the other") {
  for (std::size_t i = 0; i < 8; ++i)
    for (std::size_t j = i + 1; j < 8; ++j) {
      positions hears(8);
      for (std::size_t k = 0; k < 8; ++k) hears[k] = k;
      hears[j] = i;
      auto network = listeners(hears);
      const first_step s = first(network, 8);
      CHECK(s.committed.size() == 7);
      CHECK(std::find(s.committed.begin(), s.committed.end(), j) == s.committed.end());
    }
  // an earlier one that hears a later one is not seen: it was filled in when the later one was asked
  auto network = listeners({1, 1});
  CHECK(first(network, 2).committed == positions{0, 1});
}

TEST_CASE("epsilon is what a row may move") {
  auto network = listeners({0, 0});
  std::vector<double> before{0.5, 0, 0, -lacuna::infinity};
  std::vector<double> after{0.5, 4, 0, -lacuna::infinity};
  lacuna::normalize_row(before);
  lacuna::normalize_row(after);
  const double moved = lacuna::kl_divergence(after, before);
  CHECK(first(network, 2, moved * 1.001).committed == positions{0, 1});
  CHECK(first(network, 2, moved * 0.999).committed == positions{0});
}

TEST_CASE("a test fills in what has a 0 in a digit of its rank, with the tokens drawn, and looks at the rest") {
  lacuna::testing::recording seen(listeners({0, 1, 2, 3}));
  canvas c = canvas::blank(5);
  c.fix(2, 1);
  auto run = lacuna::start(seen, compose(order::punt{0.05, rank::left_to_right{}}, lacuna::draw::argmax{}), c);
  seen.model().logits = [](std::span<const token>, std::size_t l, std::span<float> out) {
    std::fill(out.begin(), out.end(), 0.0F);
    out[l % 3] = 2;  // draws 0 1 . 0 1
  };
  run.step();
  REQUIRE(seen.calls().size() == 3);
  const auto row = [&](std::size_t call) {
    const auto r = seen.calls()[call].row(0);
    return std::vector<token>(r.begin(), r.end());
  };
  CHECK(row(0) == std::vector<token>{3, 3, 1, 3, 3});
  CHECK(row(1) == std::vector<token>{0, 1, 1, 3, 3});  // ranks 0 and 1 of 0 … 3
  CHECK(row(2) == std::vector<token>{0, 3, 1, 0, 3});  // ranks 0 and 2
  CHECK(run.done());
}

TEST_CASE("a row that becomes unusable when others are filled is struck out") {
  auto network = listeners({0, 1, 2});
  network.logits = [](std::span<const token> row, std::size_t l, std::span<float> out) {
    std::fill(out.begin(), out.end(), l == 2 && row[0] != 3 ? std::nanf("") : 0.0F);
  };
  CHECK(first(network, 3).committed == positions{0, 1});
}

TEST_CASE("a coupled pair is not torn, independent positions go at once") {
  lacuna::problems::joint_table table(4, 2, [] {
    std::vector<double> weights(16, 0.0);  // the first two are the same, the others are free
    for (std::size_t k = 0; k < 16; ++k) weights[k] = (k >> 3U) % 2 == (k >> 2U) % 2 ? 1 : 0;
    return weights;
  }());
  const std::vector<canvas> starts(200, canvas::blank(4));
  const auto r =
      lacuna::decode(table, std::span<const canvas>(starts), compose(order::punt{0.01}, lacuna::draw::categorical{}));
  for (const auto& row : r.rows) {
    CHECK(row.tokens[0] == row.tokens[1]);
    CHECK(row.steps == 2);
    CHECK(row.cost.of(purpose::probe).rows == 2);
  }
}

TEST_CASE("punt refuses a negative or NaN epsilon") {
  CHECK_NOTHROW(order::punt{0.0}.validate());
  CHECK_THROWS_WITH_AS(order::punt{-0.5}.validate(), "order::punt: epsilon = -0.500000 nats, expected at least 0",
                       lacuna::invalid_argument);
  CHECK_THROWS_AS(order::punt{std::nan("")}.validate(), lacuna::invalid_argument);
}
