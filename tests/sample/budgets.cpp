// As many positions a step as the pace says.
#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "lacuna/sample/compose.hpp"
#include "lacuna/sample/decode.hpp"
#include "tests/sample/models.hpp"
#include "tests/sample/policies.hpp"

using namespace lacuna;
using namespace lacuna::tests;

namespace {

/// Positions committed in each step of decoding a blank canvas.
template <class Order>
std::vector<std::size_t> counts(const Order& order, std::size_t length) {
  whole model;
  std::vector<std::size_t> n;
  const decode_result r = decode(model, canvas::blank(length), compose(order, draw::argmax{}), 1,
                                 [&](const step_event& e) { n.push_back(e.committed.size()); });
  CHECK(r.reason == stop_reason::complete);
  CHECK(r.steps == n.size());
  CHECK(model.calls == n.size());
  return n;
}

}  // namespace

TEST_CASE("16 masks in 8 cosine steps: each step at least one, 16 in all, and never fewer than the step before") {
  const auto n = counts(order::top_k{rank::entropy{}, pace::cosine{8}}, 16);
  CHECK(n.size() == 8);
  std::size_t sum = 0;
  for (const std::size_t k : n) {
    CHECK(k >= 1);
    sum += k;
  }
  CHECK(sum == 16);
  CHECK(n.front() == 1);
  CHECK(n.back() >= 2);
}

TEST_CASE("64 masks in 256 steps take 64 passes") {
  CHECK(counts(order::top_k{rank::entropy{}, pace::linear{256}}, 64) == std::vector<std::size_t>(64, 1));
  CHECK(counts(order::top_k{rank::entropy{}, pace::cosine{256}}, 64) == std::vector<std::size_t>(64, 1));
}

TEST_CASE("100 masks in 16 linear steps: the steps differ by one at most") {
  const auto n = counts(order::top_k{rank::entropy{}, pace::linear{16}}, 100);
  CHECK(n.size() == 16);
  const auto [least, most] = std::minmax_element(n.begin(), n.end());
  CHECK(*least == 6);
  CHECK(*most == 7);
}

TEST_CASE("a constant pace leaves the rest for the last step") {
  CHECK(counts(order::top_k{rank::entropy{}, pace::constant{4}}, 10) == std::vector<std::size_t>{4, 4, 2});
}

TEST_CASE("a row's budget stops it after so many steps and leaves the rest masked") {
  whole model;
  const std::vector<job> jobs{{canvas::blank(6), 0, 2}, {canvas::blank(6), 0, 0}, {canvas::blank(6), 0, 6}};
  const batch_result r = decode(model, std::span{jobs}, compose(order::left_to_right{}, draw::argmax{}), {});
  CHECK(r.rows[0].reason == stop_reason::budget);
  CHECK(r.rows[0].steps == 2);
  CHECK(r.rows[0].cost.calls() == 2);
  CHECK(r.rows[0].tokens[1] != model.mask);
  CHECK(std::vector<token>(r.rows[0].tokens.begin() + 2, r.rows[0].tokens.end()) == std::vector<token>(4, model.mask));
  CHECK(std::count(r.rows[0].cells.begin(), r.rows[0].cells.end(), cell::masked) == 4);
  CHECK(r.rows[0].step == std::vector<std::size_t>{0, 1, never, never, never, never});
  CHECK(r.rows[1].reason == stop_reason::budget);
  CHECK(r.rows[1].cost == nfe{});
  CHECK(r.rows[2].reason == stop_reason::complete);
}

TEST_CASE("a batch whose rows have 1 and 9 masks takes 9 passes, and the short row pays for one") {
  whole model;
  canvas almost = canvas::blank(9);
  for (std::size_t i = 0; i < 8; ++i) almost.fix(i, 2);
  const std::vector<canvas> rows{almost, canvas::blank(9)};
  const batch_result r =
      decode(model, std::span{rows}, compose(order::top_k{rank::entropy{}, pace::linear{9}}, draw::argmax{}), {});
  CHECK(r.rows[0].steps == 1);
  CHECK(r.rows[0].cost.of(purpose::decode) == nfe::count{1, 1});
  CHECK(r.rows[1].steps == 9);
  CHECK(r.rows[1].cost.of(purpose::decode) == nfe::count{9, 9});
  CHECK(r.network == nfe::count{9, 10});
  CHECK(model.calls == 9);
  CHECK(model.rows == 10);
}
