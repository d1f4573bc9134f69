#include "lacuna/order/top_k.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <numeric>
#include <vector>

#include "lacuna/rank/drawn.hpp"
#include "lacuna/rank/entropy.hpp"
#include "lacuna/rank/gumbel.hpp"
#include "lacuna/rank/margin.hpp"
#include "tests/support/step_fixture.hpp"

namespace {

namespace order = lacuna::order;
namespace rank = lacuna::rank;
namespace pace = lacuna::pace;
using lacuna::testing::choose;
using lacuna::testing::counts_of;
using lacuna::testing::run_to_the_end;
using lacuna::testing::step_fixture;
using positions = std::vector<std::size_t>;

static_assert(lacuna::order_policy<order::top_k<>>);
static_assert(!lacuna::timed_order_policy<order::top_k<>>);
constexpr order::top_k by_margin{rank::margin{}};
constexpr order::top_k timed{rank::entropy{}, pace::cosine{8}};
static_assert(lacuna::needs_of<decltype(by_margin)> == lacuna::statistics::margin);
static_assert(lacuna::needs_of<decltype(timed)> == lacuna::statistics::entropy);
static_assert(lacuna::timed_order_policy<std::remove_const_t<decltype(timed)>>);
static_assert(order::top_k<rank::drawn, pace::linear>{.at = {4}}.at.steps == 4);

/// Five rows whose confidence, margin and entropy disagree about which is best.
step_fixture disagreeing() {
  return step_fixture::from_rows({
      {0.55, 0.45, 0.0, 0.0},  // least entropy of the unsure
      {0.6, 0.4, 0.0, 0.0},    // most confident of the unsure, tied margin
      {0.5, 0.3, 0.1, 0.1},
      {0.58, 0.14, 0.14, 0.14},  // best margin
      {0.25, 0.25, 0.25, 0.25},
  });
}

TEST_CASE("top_k takes the best by confidence, margin or entropy") {
  auto f = disagreeing();
  CHECK(choose(order::top_k{}, f) == positions{1});
  CHECK(choose(by_margin, f) == positions{3});
  CHECK(choose(order::top_k{rank::entropy{}}, f) == positions{1});
  CHECK(choose(order::top_k{rank::confidence{}, pace::constant{3}}, f) == positions{1, 3, 0});
  CHECK(choose(order::top_k{rank::entropy{}, pace::constant{2}}, f) == positions{1, 0});
}

TEST_CASE("ties go to the lowest position") {
  step_fixture f(6);
  f.confidence.assign(6, 0.25);
  CHECK(choose(order::top_k{rank::confidence{}, pace::constant{3}}, f) == positions{0, 1, 2});
  f.confidence = {0.1, 0.5, 0.2, 0.5, 0.5, 0.1};
  CHECK(choose(order::top_k{rank::confidence{}, pace::constant{2}}, f) == positions{1, 3});
}

TEST_CASE("the pace alone says how many are revealed") {
  const auto run = [](auto at, std::size_t masks) {
    step_fixture f(masks);
    f.confidence.assign(masks, 0.5);
    return counts_of(run_to_the_end(order::top_k{rank::confidence{}, at}, f));
  };
  CHECK(run(pace::constant{4}, 10) == positions{4, 4, 2});
  CHECK(run(pace::linear{256}, 64) == positions(64, 1));
  const auto cosine = run(pace::cosine{8}, 16);
  CHECK(cosine.size() == 8);
  CHECK(std::accumulate(cosine.begin(), cosine.end(), std::size_t{0}) == 16);
  CHECK(run(pace::linear{1}, 1) == positions{1});
}

TEST_CASE("a lambda is a rank") {
  step_fixture f(5);
  f.confidence.assign(5, 0.5);
  const auto odd_first = [](const lacuna::step_view& view, std::size_t k) { return view.positions[k] % 2 == 1 ? 1.0 : 0.0; };
  CHECK(choose(order::top_k{odd_first, pace::constant{3}}, f) == positions{1, 3, 0});
  // one without `needs` gets the three scalars
  static_assert(lacuna::contains(lacuna::needs_of<order::top_k<decltype(odd_first)>>, lacuna::statistics::entropy));
}

TEST_CASE("with remasking a timed top_k reveals what the pace is ahead") {
  step_fixture f(8);
  const order::top_k p{rank::drawn{}, pace::linear{4}};
  lacuna::rank::ranking memory;
  f.time = p.time(f.view(), memory);
  CHECK(f.time.revealed_now == 0);
  CHECK(f.time.revealed_next == 0.25);
  CHECK(f.time.remaining == 3);
  CHECK(f.time.elapsed == 0);
  CHECK(choose(p, f).size() == 2);

  // four are revealed and it is step 2: the target is six; one was masked again, so three are to be revealed
  for (std::size_t i = 0; i < 4; ++i) f.sequence.commit(i, 0);
  f.step = 2;
  f.time = p.time(f.view(), memory);
  CHECK(f.time.revealed_now == 0.5);
  CHECK(f.time.revealed_next == 0.75);
  CHECK(f.time.remaining == 1);
  CHECK(f.time.elapsed == 0.5);
  auto view = f.view();
  view.masked_now += 1;
  lacuna::selection out;
  out.reset(view.size());
  p.select(view, memory, out, {1, lacuna::stream_use::order, 0, 2});
  CHECK(out.size() == 3);

  f.step = 3;
  f.time = p.time(f.view(), memory);
  CHECK(f.time.remaining == 0);
  CHECK(f.time.revealed_next == 1);
  CHECK(choose(p, f).size() == 4);
}

TEST_CASE("with remasking more steps than masks are all taken, some of which reveal nothing") {
  step_fixture f(2);
  const order::top_k p{rank::drawn{}, pace::linear{8}};
  lacuna::rank::ranking memory;
  positions counts;
  for (f.step = 0; f.step < 8; ++f.step) {
    f.time = p.time(f.view(), memory);
    CHECK(f.time.remaining == 7 - f.step);
    const auto chosen = choose(p, f, memory);
    counts.push_back(chosen.size());
    for (const std::size_t i : chosen) f.sequence.commit(i, 0);
  }
  CHECK(counts == positions{0, 1, 0, 0, 0, 1, 0, 0});
}

TEST_CASE("position noise keeps working with one mask left") {
  for (const double t : {0.01, 1.0, 1e6}) {
    step_fixture f(1);
    CHECK(run_to_the_end(order::top_k{rank::gumbel{t}, pace::cosine{4}}, f).size() == 1);
  }
}

TEST_CASE("top_k refuses what its pace and its rank refuse") {
  CHECK_NOTHROW(order::top_k{}.validate());
  CHECK_THROWS_WITH_AS((order::top_k{rank::drawn{}, pace::constant{0}}.validate()),
                       "pace::constant: k = 0, expected at least 1 position a step", lacuna::invalid_argument);
  CHECK_THROWS_AS((order::top_k{rank::gumbel{-1.0}}.validate()), lacuna::invalid_argument);
}

}  // namespace
