#include "lacuna/order/klass.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "lacuna/rank/margin.hpp"
#include "tests/support/step_fixture.hpp"

namespace {

namespace order = lacuna::order;
using lacuna::testing::choose;
using lacuna::testing::step_fixture;
using positions = std::vector<std::size_t>;

static_assert(lacuna::remembering_order_policy<order::klass<>>);
static_assert(lacuna::needs_of<order::klass<>> == (lacuna::statistics::confidence | lacuna::statistics::rows));
static_assert(order::klass{0.8}.tau == 0.8);
static_assert(order::klass<>{.tau = 0.8, .history = 1}.history == 1);
using by_margin = order::klass<order::top_k<lacuna::rank::margin>>;
static_assert(lacuna::contains(lacuna::needs_of<by_margin>, lacuna::statistics::margin));

const std::vector<double> sure{0.96, 0.04};
const std::vector<double> surer{0.97, 0.03};  // KL(surer || sure) = .0015
const std::vector<double> turned{0.04, 0.96};
const std::vector<double> unsure{0.6, 0.4};

/// A fallback that gives itself away.
struct last_one {
  static constexpr auto needs = lacuna::statistics::none;
  void select(const lacuna::step_view& view, lacuna::selection& out, const lacuna::step_random&) const {
    out.add(view.size() - 1);
  }
};

static_assert(!lacuna::contains(lacuna::needs_of<order::klass<last_one>>, lacuna::statistics::entropy));

TEST_CASE("klass waits until a sure position has been stable for the whole history") {
  auto f = step_fixture::from_rows({sure, unsure, unsure, unsure});
  const order::klass p{0.9, 0.01, 2, last_one{}};
  decltype(p)::memory memory;
  CHECK(choose(p, f, memory) == positions{3});  // sure, but no earlier row to compare with
  ++f.step;
  f.set_row(0, surer);
  CHECK(choose(p, f, memory) == positions{3});  // stable for one step
  ++f.step;
  f.set_row(2, surer);  // as sure, but it jumped
  CHECK(choose(p, f, memory) == positions{0});
  f.sequence.commit(0, 0);
  ++f.step;
  CHECK(choose(p, f, memory) == positions{3});  // position 2 is stable for one step
  ++f.step;
  CHECK(choose(p, f, memory) == positions{2});
}

TEST_CASE("all sure and stable positions come at once, unsure ones do not") {
  auto f = step_fixture::from_rows({sure, unsure, sure, surer, unsure});
  const order::klass p{0.9, 0.01, 1};
  order::klass<>::memory memory;
  CHECK(choose(p, f, memory) == positions{3});  // the fallback takes the most confident
  ++f.step;
  CHECK(choose(p, f, memory) == positions{0, 2, 3});
}

TEST_CASE("a row that moves by epsilon or more starts anew") {
  auto f = step_fixture::from_rows({sure, unsure});
  const order::klass p{0.9, 0.01, 2};
  order::klass<>::memory memory;
  choose(p, f, memory);
  ++f.step;
  choose(p, f, memory);
  CHECK(memory.tracks[0].stable == 1);
  ++f.step;
  f.set_row(0, turned);
  choose(p, f, memory);
  CHECK(memory.tracks[0].stable == 0);
  // the distance is KL(now || before) in nats
  const order::klass wide{0.9, 0.92 * std::log(24.0) + 1e-6, 1};
  const order::klass narrow{0.9, 0.92 * std::log(24.0) - 1e-6, 1};
  for (const bool enough : {true, false}) {
    order::klass<>::memory m;
    f.step = 0;
    f.set_row(0, sure);
    choose(enough ? wide : narrow, f, m);
    ++f.step;
    f.set_row(0, turned);
    choose(enough ? wide : narrow, f, m);
    CHECK(m.tracks[0].stable == (enough ? 1 : 0));
  }
}

TEST_CASE("a row missed in a step is not compared across the gap") {
  auto f = step_fixture::from_rows({sure, unsure});
  const order::klass p{0.9, 0.01, 1};
  order::klass<>::memory memory;
  choose(p, f, memory);
  f.step = 2;  // in step 1 the position was no candidate
  choose(p, f, memory);
  CHECK(memory.tracks[0].stable == 0);
  ++f.step;
  choose(p, f, memory);
  CHECK(memory.tracks[0].stable == 1);
}

TEST_CASE("without a history klass is a threshold with a fallback") {
  auto f = step_fixture::from_rows({sure, unsure, surer});
  CHECK(choose(order::klass{0.9, 0.01, 0}, f) == positions{0, 2});
  CHECK(choose(order::klass{0.99, 0.01, 0}, f) == positions{2});
}

TEST_CASE("the fallback is any order") {
  auto f = step_fixture::from_rows({{0.5, 0.5, 0.0}, {0.48, 0.26, 0.26}, {0.4, 0.3, 0.3}});
  CHECK(choose(order::klass{}, f) == positions{0});
  const order::klass p{0.9, 0.01, 2, order::top_k{lacuna::rank::margin{}, lacuna::pace::constant{2}}};
  CHECK(choose(p, f) == positions{1, 2});
}

TEST_CASE("rows without a change in mass where there is none are stable, new mass is not") {
  auto f = step_fixture::from_rows({{1.0, 0.0}, {1.0, 0.0}});
  const order::klass p{0.9, 0.01, 1};
  order::klass<>::memory memory;
  choose(p, f, memory);
  ++f.step;
  f.set_row(1, {0.99, 0.01});  // infinitely far from a row that had no mass there
  CHECK(choose(p, f, memory) == positions{0});
}

TEST_CASE("klass refuses parameters out of range") {
  CHECK_NOTHROW(order::klass{}.validate());
  CHECK_THROWS_WITH_AS(order::klass{1.5}.validate(), "order::klass: tau = 1.500000, expected a probability, 0 to 1",
                       lacuna::invalid_argument);
  CHECK_THROWS_WITH_AS((order::klass{0.9, -1.0}.validate()), "order::klass: epsilon = -1.000000 nats, expected at least 0",
                       lacuna::invalid_argument);
  CHECK_THROWS_AS(order::klass{std::nan("")}.validate(), lacuna::invalid_argument);
  const order::klass around{0.9, 0.01, 2, order::top_k{lacuna::rank::margin{}, lacuna::pace::constant{0}}};
  CHECK_THROWS_AS(around.validate(), lacuna::invalid_argument);
}

}  // namespace
