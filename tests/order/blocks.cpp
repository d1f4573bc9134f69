#include "lacuna/order/blocks.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "lacuna/core/pace.hpp"
#include "lacuna/order/ancestral.hpp"
#include "lacuna/order/left_to_right.hpp"
#include "lacuna/order/threshold.hpp"
#include "lacuna/order/top_k.hpp"
#include "lacuna/rank/drawn.hpp"
#include "tests/support/step_fixture.hpp"

namespace {

namespace order = lacuna::order;
namespace pace = lacuna::pace;
namespace rank = lacuna::rank;
using lacuna::testing::choose;
using lacuna::testing::counts_of;
using lacuna::testing::run_to_the_end;
using lacuna::testing::step_fixture;
using positions = std::vector<std::size_t>;

using around_threshold = order::blocks<order::threshold<>>;
static_assert(lacuna::remembering_order_policy<around_threshold>);
static_assert(lacuna::restricting_order_policy<around_threshold>);
static_assert(!lacuna::timed_order_policy<around_threshold>);
static_assert(lacuna::timed_order_policy<order::blocks<order::top_k<rank::drawn, pace::linear>>>);
static_assert(lacuna::timed_order_policy<order::blocks<order::ancestral<>>>);
static_assert(lacuna::needs_of<around_threshold> == lacuna::statistics::confidence);
static_assert(lacuna::order_policy<order::blocks<around_threshold>>);
constexpr order::blocks deduced{8, order::threshold{0.5}};
static_assert(deduced.size == 8);

TEST_CASE("a block is finished before the next begins, and the last may be short") {
  step_fixture f(7);
  f.confidence = {0.1, 0.2, 0.3, 0.9, 0.95, 0.99, 0.4};
  CHECK(run_to_the_end(order::blocks{3, order::threshold{0.9}}, f) == std::vector<positions>{{2}, {1}, {0}, {3, 4, 5}, {6}});
}

TEST_CASE("blocks begin behind the prompt and pass over what is known") {
  const std::vector<lacuna::token> prompt{5, 5};
  lacuna::canvas c = lacuna::canvas::continuation(prompt, 14);
  for (std::size_t i = 6; i < 10; ++i) c.fix(i, 1);  // the second block of four
  step_fixture f(c);
  f.confidence.assign(14, 1.0);
  CHECK(run_to_the_end(order::blocks{4, order::threshold{0.9}}, f) == std::vector<positions>{{2, 3, 4, 5}, {10, 11, 12, 13}});
}

TEST_CASE("a pace inside blocks counts the steps and masks of the block") {
  step_fixture f(10);
  f.confidence.assign(10, 0.5);
  const order::blocks p{4, order::top_k{rank::confidence{}, pace::linear{2}}};
  CHECK(counts_of(run_to_the_end(p, f)) == positions{2, 2, 2, 2, 1, 1});
}

TEST_CASE("the memory of the inner order begins anew with each block") {
  // ancestral with one step reveals a whole block; were its index kept, it would do so anyway, so use two and count
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    step_fixture f(12);
    const order::blocks p{4, order::ancestral{2}};
    decltype(p)::memory memory;
    bool one_is_shared = false;  // some block takes two steps: its second step is again one of a grid of two
    lacuna::block_range before{};
    std::size_t steps_in_block = 0;
    while (f.sequence.count(lacuna::cell::masked) > 0) {
      const auto chosen = choose(p, f, memory, seed);
      if (memory.range == before) {
        ++steps_in_block;
        one_is_shared = true;
      } else {
        steps_in_block = 1;
      }
      before = memory.range;
      CHECK(memory.inner.index >= steps_in_block);
      CHECK(memory.inner.index <= 2);
      for (const std::size_t i : chosen) {
        CHECK(memory.range.contains(i));
        f.sequence.commit(i, 0);
      }
      ++f.step;
    }
    if (seed == 0) CHECK(one_is_shared);
  }
}

TEST_CASE("only the positions of the block need be scored, and an inner restriction is kept") {
  const lacuna::canvas c = lacuna::canvas::blank(10);
  positions masked{0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  around_threshold::memory memory;
  around_threshold{4, {}}.restrict_to(c, memory, masked);
  CHECK(masked == positions{0, 1, 2, 3});
  order::blocks<order::left_to_right>::memory inner;
  order::blocks{4, order::left_to_right{.k = 2}}.restrict_to(c, inner, masked);
  CHECK(masked == positions{0, 1});
}

TEST_CASE("asked without being restricted first, blocks chooses from its block all the same") {
  step_fixture f(9);
  f.confidence = {0.1, 0.9, 0.5, 0.99, 0.99, 0.99, 0.99, 0.99, 0.99};
  f.sequence.commit(0, 0);
  f.sequence.commit(1, 0);
  const around_threshold p{3, {}};
  around_threshold::memory memory;
  const auto view = f.view();  // all masked positions
  lacuna::selection out;
  out.reset(view.size());
  p.select(view, memory, out, {1, lacuna::stream_use::order, 0, 0});
  REQUIRE(out.size() == 1);
  CHECK(view.positions[out.chosen()[0]] == 2);

  f.sequence.commit(2, 0);
  const auto next = f.view();
  out.reset(next.size());
  p.select(next, memory, out, {1, lacuna::stream_use::order, 0, 1});
  CHECK(out.size() == 3);
}

TEST_CASE("with remasking time is that of the block, and what remains is that of all blocks") {
  step_fixture f(10);
  const order::blocks p{4, order::top_k{rank::drawn{}, pace::linear{2}}};
  decltype(p)::memory memory;
  std::vector<std::size_t> remaining;
  std::vector<double> next;
  while (f.sequence.count(lacuna::cell::masked) > 0) {
    f.time = p.time(f.view(), memory);
    remaining.push_back(f.time.remaining);
    next.push_back(f.time.revealed_next);
    for (const std::size_t i : choose(p, f, memory)) f.sequence.commit(i, 0);
    ++f.step;
  }
  CHECK(remaining == positions{5, 4, 3, 2, 1, 0});
  CHECK(next == std::vector<double>{0.5, 1, 0.5, 1, 0.5, 1});
  CHECK(p.time(f.view(), memory).remaining == 0);
}

TEST_CASE("with remasking committed tokens outside of the block stay") {
  lacuna::canvas c = lacuna::canvas::blank(9);
  for (const std::size_t i : positions{0, 1, 2, 4}) c.commit(i, 0);
  const order::blocks p{3, order::top_k{rank::drawn{}, pace::linear{4}}};
  decltype(p)::memory memory;
  positions masked{3, 5, 6, 7, 8};
  positions committed{0, 1, 2, 4};
  p.restrict_to(c, memory, masked);
  p.restrict_to(c, memory, committed);
  CHECK(masked == positions{3, 5});
  CHECK(committed == positions{4});
}

TEST_CASE("what was just masked again counts as masked in the block") {
  step_fixture f(8);
  const order::blocks p{4, order::top_k{rank::drawn{}, pace::linear{4}}};
  decltype(p)::memory memory;
  f.time = p.time(f.view(), memory);
  for (const std::size_t i : positions{0, 1}) f.sequence.commit(i, 0);
  f.step = 2;
  f.time = p.time(f.view(), memory);
  auto view = f.view({2, 3});
  view.masked_now += 1;  // one of 0 and 1 is to be masked again: the target of three is two away
  lacuna::selection out;
  out.reset(2);
  p.select(view, memory, out, {1, lacuna::stream_use::order, 0, 2});
  CHECK(out.size() == 2);
}

TEST_CASE("blocks in blocks") {
  step_fixture f(8);
  f.confidence.assign(8, 1.0);
  CHECK(run_to_the_end(order::blocks{4, order::blocks{2, order::threshold{0.9}}}, f) ==
        std::vector<positions>{{0, 1}, {2, 3}, {4, 5}, {6, 7}});
}

TEST_CASE("a pace inside blocks in blocks counts the steps and masks of the inner block") {
  step_fixture f(16);
  f.confidence.assign(16, 0.5);
  const order::blocks p{8, order::blocks{4, order::top_k{rank::confidence{}, pace::linear{2}}}};
  CHECK(counts_of(run_to_the_end(p, f)) == positions(8, 2));
}

TEST_CASE("what an end of sequence closes is no longer the block's to decode") {
  // Block 1 of three, eight positions in four steps. An end token at its position 5 closes two masks there and all eight
  // behind.
  step_fixture f(24);
  f.confidence.assign(24, 0.5);
  f.confidence[13] = 0.9;
  const order::blocks p{8, order::top_k{rank::confidence{}, pace::linear{4}}};
  decltype(p)::memory memory;
  std::vector<std::size_t> counts;
  while (f.sequence.count(lacuna::cell::masked) > 0) {
    const auto chosen = choose(p, f, memory);
    counts.push_back(chosen.size());
    for (const std::size_t i : chosen) f.sequence.commit(i, 0);
    if (std::find(chosen.begin(), chosen.end(), 13U) != chosen.end())
      for (std::size_t i = 14; i < 24; ++i) {
        f.sequence.close(i, 0);
        --f.masked_at_start;
      }
    ++f.step;
  }
  CHECK(counts == positions{2, 2, 2, 2, 2, 1, 2, 1});  // six in what were four steps
}

TEST_CASE("blocks refuse a size of 0 and what the inner order refuses") {
  CHECK_THROWS_WITH_AS((order::blocks{0, order::threshold{0.9}}.validate()),
                       "order::blocks: size = 0, expected at least 1 position", lacuna::invalid_argument);
  CHECK_THROWS_AS((order::blocks{4, order::left_to_right{0}}.validate()), lacuna::invalid_argument);
}

}  // namespace
