// What an end token does: nothing, stop the row, wait.
#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "lacuna/core/pace.hpp"
#include "lacuna/order/ancestral.hpp"
#include "lacuna/order/blocks.hpp"
#include "lacuna/order/top_k.hpp"
#include "lacuna/rank/left_to_right.hpp"
#include "lacuna/remask/remdm_cap.hpp"
#include "lacuna/sample/compose.hpp"
#include "lacuna/sample/decode.hpp"
#include "tests/sample/models.hpp"
#include "tests/sample/policies.hpp"
#include "tests/sample/results.hpp"

using namespace lacuna;
using namespace lacuna::tests;

namespace {

constexpr token end = 6;

/// A network that writes the end token at the given positions and token 1 elsewhere; the end tokens are what it is surest of.
template <class Model = whole>
Model ends_at(std::vector<std::size_t> positions) {
  Model model;
  model.end = end;
  model.logits = [positions](std::span<const token>, std::size_t l, std::span<float> out) {
    std::fill(out.begin(), out.end(), 0.0F);
    const bool here = std::find(positions.begin(), positions.end(), l) != positions.end();
    out[here ? end : 1] = here ? 20.0F : 5.0F;
  };
  return model;
}

/// Tokens up to and with position `last`, end tokens behind it.
std::vector<token> ended(std::size_t length, std::size_t last) {
  std::vector<token> t(length, end);
  std::fill(t.begin(), t.begin() + static_cast<std::ptrdiff_t>(last), 1);
  return t;
}

}  // namespace

TEST_CASE("an end token means nothing unless an ending policy says so") {
  whole model = ends_at({2});
  const decode_result r = decode(model, canvas::blank(6), compose(order::left_to_right{}, draw::argmax{}), 1);
  CHECK(r.tokens == std::vector<token>{1, 1, end, 1, 1, 1});
  CHECK(r.reason == stop_reason::complete);
}

TEST_CASE("an end token in block 1 of 8: nothing is decoded behind it, no pass is spent after its block") {
  selective model = ends_at<selective>({5});
  const auto blocks = order::blocks{4, order::left_to_right{2}};
  const decode_result r = decode(model, canvas::blank(32), compose(blocks, draw::argmax{}, ending::stop{}), 1);
  CHECK(r.tokens == ended(32, 5));
  CHECK(r.reason == stop_reason::end_of_sequence);
  CHECK(model.calls == 3);  // two for block 0, one for the two positions of block 1
  for (std::size_t i = 0; i < 6; ++i) CHECK(r.cells[i] == cell::committed);
  for (std::size_t i = 6; i < 32; ++i) {
    CHECK(r.cells[i] == cell::closed);
    CHECK(r.step[i] == never);
    CHECK(r.confidence[i] == 0);
  }
  selective control = ends_at<selective>({5});
  CHECK(decode(control, canvas::blank(32), compose(blocks, draw::argmax{}), 1).steps == 16);
}

TEST_CASE("an end token that comes before its left is done: the left is decoded, the right is not") {
  whole model = ends_at({5});
  std::vector<std::size_t> behind;
  const auto watch = [&](const step_event& e) {
    for (const std::size_t i : e.committed)
      if (i > 5) behind.push_back(i);
  };
  const decode_result r = decode(model, canvas::blank(12), compose(surest(1), draw::argmax{}, ending::stop{}), 1, watch);
  CHECK(r.step[5] == 0);
  CHECK(r.steps == 6);
  CHECK(r.tokens == ended(12, 5));
  CHECK(behind.empty());
}

TEST_CASE("what was decoded behind an end token before it came is closed") {
  whole model = ends_at({3});
  const decode_result r = decode(model, canvas::blank(6), compose(everything, draw::argmax{}, ending::stop{}), 1);
  CHECK(r.tokens == ended(6, 3));
  CHECK(r.cells[4] == cell::closed);
  CHECK(r.step[4] == never);
  CHECK(r.steps == 1);
}

TEST_CASE("a second end token further left counts instead") {
  whole model = ends_at({2, 7});
  model.logits = [inner = model.logits](std::span<const token> row, std::size_t l, std::span<float> out) {
    inner(row, l, out);
    if (l == 2) out[end] = 9;  // later than position 7, sooner than text
  };
  const decode_result r = decode(model, canvas::blank(10), compose(surest(1), draw::argmax{}, ending::stop{}), 1);
  CHECK(r.step[2] == 1);
  CHECK(r.tokens == ended(10, 2));
  CHECK(r.cells[7] == cell::closed);
}

TEST_CASE("an end token in the prompt means nothing, and fixed tokens behind a decoded one stay") {
  whole model = ends_at({3});
  canvas c = canvas::blank(8);
  c.fix(0, end);
  c.fix(6, 4);
  const decode_result r = decode(model, c, compose(order::left_to_right{}, draw::argmax{}, ending::stop{}), 1);
  CHECK(r.tokens == std::vector<token>{end, 1, 1, end, end, end, 4, end});
  CHECK(r.cells[6] == cell::fixed);
  CHECK(r.steps == 3);
  CHECK(r.reason == stop_reason::end_of_sequence);
}

TEST_CASE("what is left of an end token is spread over the steps that are left") {
  // 64 positions in 16 steps; the end at 39 comes first. The row goes on as if it were 40 positions long.
  whole model = ends_at({39});
  std::vector<std::size_t> n;
  const decode_result r =
      decode(model, canvas::blank(64), compose(order::top_k{rank::entropy{}, pace::linear{16}}, draw::argmax{}, ending::stop{}),
             1, [&](const step_event& e) { n.push_back(e.committed.size()); });
  CHECK(r.tokens == ended(64, 39));
  CHECK(r.steps == 16);
  for (std::size_t s = 2; s < 16; ++s) {
    CHECK(n[s] >= 2);
    CHECK(n[s] <= 3);
  }
}

TEST_CASE("in a block, too, what is left of an end token is spread over the steps that are left") {
  // Two blocks of 32 positions in 8 steps each; the end at 51 comes first in the second, which goes on as if it had 20.
  whole model = ends_at({51});
  std::vector<std::size_t> n;
  const order::blocks order{32, order::top_k{rank::confidence{}, pace::linear{8}}};
  const decode_result r = decode(model, canvas::blank(64), compose(order, draw::argmax{}, ending::stop{}), 1,
                                 [&](const step_event& e) { n.push_back(e.committed.size()); });
  CHECK(r.tokens == ended(64, 51));
  CHECK(r.steps == 16);
  for (std::size_t s = 10; s < 16; ++s) {
    CHECK(n[s] >= 2);
    CHECK(n[s] <= 3);
  }
}

TEST_CASE("what was decoded behind an end token before it came leaves no backlog") {
  // From the back: positions 7 to 4 are decoded first, then the end token at 3. One a step stays one a step.
  whole model = ends_at({3});
  std::vector<std::size_t> n;
  const auto backwards = [](const step_view& view, std::size_t k) {
    return view.positions[k] >= 3 ? static_cast<double>(view.positions[k]) : -1.0;
  };
  const auto count = [&](const step_event& e) { n.push_back(e.committed.size()); };
  decode(model, canvas::blank(8), compose(order::top_k{backwards, pace::constant{1}}, draw::argmax{}, ending::stop{}), 1,
         count);
  CHECK(n == std::vector<std::size_t>{1, 1, 1, 1, 1, 1, 1, 1});
  n.clear();
  decode(model, canvas::blank(8), compose(order::top_k{backwards, pace::linear{8}}, draw::argmax{}, ending::stop{}), 1, count);
  CHECK(n == std::vector<std::size_t>{1, 1, 1, 1, 1, 1, 1, 1});
}

TEST_CASE("a step that had fewer candidates is not made up for by a constant pace") {
  // All but position 0 want the end token: they wait, and then go four at a time, not seven.
  whole model = ends_at({1, 2, 3, 4, 5, 6, 7, 8});
  std::vector<std::size_t> n;
  decode(model, canvas::blank(9),
         compose(order::top_k{rank::left_to_right{}, pace::constant{4}}, draw::argmax{}, ending::last<>{}), 1,
         [&](const step_event& e) { n.push_back(e.committed.size()); });
  CHECK(n == std::vector<std::size_t>{1, 4, 4});
}

TEST_CASE("a block that waits for end tokens does not eat the steps of the next one") {
  // Block 0 overruns its eight steps whenever its last candidates want the end token. Four positions in eight steps fall into
  // 8 (1 - (7/8)^4) = 3.3 different ones on average, in block 1 as anywhere.
  whole model = ends_at({2, 3});
  constexpr std::size_t seeds = 200;
  std::size_t steps_of_second = 0;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    const decode_result r =
        decode(model, canvas::blank(16),
               compose(order::blocks{4, order::ancestral<>{8, {}}}, draw::argmax{}, remask::remdm_cap{0.05}, ending::last<>{}),
               seed, [&](const step_event& e) {
                 const auto second = [](std::size_t i) { return i >= 4 && i < 8; };
                 steps_of_second += std::any_of(e.committed.begin(), e.committed.end(), second) ? 1U : 0U;
               });
    CHECK(r.reason == stop_reason::complete);
  }
  CHECK(static_cast<double>(steps_of_second) > 2.5 * seeds);
}

TEST_CASE("commit it last: end tokens wait until there is nothing else") {
  whole model = ends_at({4, 5, 6, 7});
  const decode_result plain = decode(model, canvas::blank(8), compose(surest(1), draw::argmax{}), 1);
  CHECK(plain.step[4] == 0);
  const decode_result r = decode(model, canvas::blank(8), compose(surest(1), draw::argmax{}, ending::last<>{}), 1);
  CHECK(r.step == std::vector<std::size_t>{0, 1, 2, 3, 4, 5, 6, 7});
  CHECK(r.tokens == plain.tokens);
  CHECK(r.reason == stop_reason::complete);
  const decode_result s = decode(model, canvas::blank(8), compose(surest(1), draw::argmax{}, ending::last<ending::stop>{}), 1);
  CHECK(s.step == std::vector<std::size_t>{0, 1, 2, 3, 4, never, never, never});
  CHECK(s.reason == stop_reason::end_of_sequence);
}

TEST_CASE("with remasking, the end token stays and nothing behind it comes back") {
  whole model = ends_at({4});
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    std::size_t behind = 0;
    const decode_result r =
        decode(model, canvas::blank(9), compose(timed{10, 1}, draw::argmax{}, sometimes{0.5}, ending::stop{}), seed,
               [&](const step_event& e) {
                 const auto cells = e.sequence->cells();
                 const bool over = std::count(cells.begin(), cells.end(), cell::closed) > 0;
                 for (const std::size_t i : e.remasked) behind += over && i >= 4;
                 for (const std::size_t i : e.committed) behind += over && i > 4;
               });
    CHECK(r.tokens == ended(9, 4));
    CHECK(behind == 0);
  }
}

TEST_CASE("an end token in the last position ends a row that has nothing to close") {
  whole model = ends_at({3});
  const decode_result r = decode(model, canvas::blank(4), compose(order::left_to_right{}, draw::argmax{}, ending::stop{}), 1);
  CHECK(r.reason == stop_reason::end_of_sequence);
  CHECK(std::count(r.cells.begin(), r.cells.end(), cell::closed) == 0);
}
