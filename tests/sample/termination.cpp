// A run ends, whatever model and policies say.
#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "lacuna/core/errors.hpp"
#include "lacuna/draw/argmax.hpp"
#include "lacuna/draw/categorical.hpp"
#include "lacuna/order/left_to_right.hpp"
#include "lacuna/sample/compose.hpp"
#include "lacuna/sample/decode.hpp"
#include "tests/sample/models.hpp"
#include "tests/sample/policies.hpp"

using namespace lacuna;
using namespace lacuna::tests;

namespace {

struct restricts_to_nothing {
  static constexpr statistics needs = statistics::none;
  struct memory {};
  void restrict_to(const canvas&, memory&, std::vector<std::size_t>& positions) const { positions.clear(); }
  void select(const step_view& view, memory&, selection& out, const step_random& rng) const {
    order::left_to_right{view.size()}.select(view, out, rng);
  }
};

/// Restricts the masked positions to a list of its own, whatever is masked; all of them are then selected.
struct restricts_to_list {
  std::vector<std::size_t> list;
  static constexpr statistics needs = statistics::none;
  void restrict_to(const canvas&, no_memory&, std::vector<std::size_t>& positions) const { positions = list; }
  void select(const step_view& view, selection& out, const step_random& rng) const {
    order::left_to_right{view.size()}.select(view, out, rng);
  }
};

/// A timed order that lets everything be masked again, committed or not.
struct restricts_to_all : timed {
  void restrict_to(const canvas& c, memory&, std::vector<std::size_t>& positions) const {
    if (!positions.empty() && c.is_masked(positions.front())) return;
    positions.resize(c.size());
    std::iota(positions.begin(), positions.end(), std::size_t{0});
  }
};

/// Says that so many steps remain, always.
struct stopped_clock {
  std::size_t remaining = 5;
  static constexpr statistics needs = statistics::none;
  struct memory {};
  time_step time(const step_view&, memory&) const { return {0, 1, remaining}; }
  void select(const step_view& view, memory&, selection& out, const step_random& rng) const {
    order::left_to_right{view.size()}.select(view, out, rng);
  }
};

/// Masks again all that is committed.
struct all_again {
  static constexpr statistics needs = statistics::none;
  void remask(const step_view&, const committed_view& committed, selection& out, const step_random&) const {
    for (std::size_t j = 0; j < committed.size(); ++j) out.add(j);
  }
};

/// Returns the token it was told to, whatever its probability.
struct stubborn {
  token t = 7;
  token draw(std::span<double>, random_stream&) const { return t; }
};

}  // namespace

TEST_CASE("uniform logits under a threshold of 0.99: one position a pass, the first of them, L passes") {
  whole model;
  model.logits = uniform;
  const decode_result r = decode(model, canvas::blank(12), compose(order::threshold{0.99}, draw::argmax{}), 1);
  CHECK(r.reason == stop_reason::complete);
  CHECK(r.steps == 12);
  CHECK(model.calls == 12);
  for (std::size_t i = 0; i < 12; ++i) CHECK(r.step[i] == i);
}

TEST_CASE("an order that selects nothing decodes from left to right") {
  whole model;
  const decode_result r = decode(model, canvas::blank(5), compose(selects_nothing{}, draw::argmax{}), 1);
  CHECK(r.step == std::vector<std::size_t>{0, 1, 2, 3, 4});
}

TEST_CASE("an order that restricts to nothing is given the first masked position") {
  whole model;
  canvas c = canvas::blank(5);
  c.fix(0, 1);
  const decode_result r = decode(model, c, compose(restricts_to_nothing{}, draw::argmax{}), 1);
  CHECK(r.reason == stop_reason::complete);
  CHECK(r.step == std::vector<std::size_t>{never, 0, 1, 2, 3});
}

TEST_CASE("an order that restricts to what it was not given is refused") {
  whole model;
  canvas c = canvas::blank(5);
  c.fix(0, 1);
  const auto with = [&](std::vector<std::size_t> list) {
    return decode(model, c, compose(restricts_to_list{std::move(list)}, draw::argmax{}), 1);
  };
  CHECK_THROWS_WITH_AS(
      with({1, 1}), "order policy: restrict_to left position 1 after 1, expected masked positions in ascending order", error);
  CHECK_THROWS_WITH_AS(
      with({2, 1}), "order policy: restrict_to left position 1 after 2, expected masked positions in ascending order", error);
  CHECK_THROWS_WITH_AS(with({0, 1}), "order policy: restrict_to left position 0, expected masked positions in ascending order",
                       error);
  CHECK_THROWS_WITH_AS(
      with({1, 5}), "order policy: restrict_to left position 5 after 1, expected masked positions in ascending order", error);
  CHECK(model.calls == 0);
  CHECK(with({1, 2, 3, 4}).reason == stop_reason::complete);
  CHECK_THROWS_WITH_AS(decode(model, c, compose(restricts_to_all{}, draw::argmax{}, all_again{}), 1),
                       "order policy: restrict_to left position 0, expected committed positions in ascending order", error);
}

TEST_CASE("a clock that stands still runs out a step for each mask later than it first said, and everything is decoded then") {
  whole model;
  const decode_result r = decode(model, canvas::blank(4), compose(stopped_clock{5}, draw::argmax{}, all_again{}), 1);
  CHECK(r.reason == stop_reason::complete);
  CHECK(r.steps == 1 + 5 + 4);
  CHECK(std::count(r.cells.begin(), r.cells.end(), cell::committed) == 4);
}

TEST_CASE("a clock without an end is ended by the row's budget") {
  whole model;
  const job j{canvas::blank(4), 0, 20};
  const auto forever = compose(stopped_clock{std::numeric_limits<std::size_t>::max()}, draw::argmax{}, all_again{});
  const batch_result r = decode(model, std::span{&j, 1}, forever, {});
  CHECK(r.rows[0].reason == stop_reason::budget);
  CHECK(r.rows[0].steps == 20);
}

TEST_CASE("a draw that returns a token without mass is refused, whatever the token") {
  whole model;
  const auto with = [&](token t) { return decode(model, canvas::blank(3), compose(order::left_to_right{}, stubborn{t}), 1); };
  CHECK_THROWS_WITH_AS(with(7), "draw policy: returned token 7, which has no probability at position 0", error);
  CHECK_THROWS_WITH_AS(with(-1), "draw policy: returned token -1, which has no probability at position 0", error);
  CHECK_THROWS_WITH_AS(with(8), "draw policy: returned token 8, which has no probability at position 0", error);
  CHECK(with(6).tokens == std::vector<token>{6, 6, 6});
}
