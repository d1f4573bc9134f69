// Canvases at the edges: nothing fixed, everything fixed, only the last position fixed, one position, no rows at all.
#include <doctest/doctest.h>

#include <vector>

#include "lacuna/sample/compose.hpp"
#include "lacuna/sample/decode.hpp"
#include "tests/sample/models.hpp"
#include "tests/sample/policies.hpp"

using namespace lacuna;
using namespace lacuna::tests;

TEST_CASE("nothing fixed: every position is decoded") {
  whole model;
  const decode_result r = decode(model, canvas::blank(4), compose(order::left_to_right{2}, draw::argmax{}), 1);
  CHECK(r.tokens.size() == 4);
  CHECK(r.cells == std::vector<cell>(4, cell::committed));
  CHECK(r.step == std::vector<std::size_t>{0, 0, 1, 1});
}

TEST_CASE("everything fixed: no pass, no step, the canvas as it was") {
  whole model;
  const std::vector<token> text{3, 1, 7};
  const decode_result r = decode(model, canvas::infill(text, {}), compose(timed{}, draw::argmax{}, sometimes{}), 1);
  CHECK(r.tokens == text);
  CHECK(r.reason == stop_reason::complete);
  CHECK(r.steps == 0);
  CHECK(r.cost == nfe{});
  CHECK(model.calls == 0);
  CHECK(r.confidence == std::vector<double>(3, 0));
}

TEST_CASE("only the last position fixed: it conditions the others and stays") {
  whole model;
  canvas a = canvas::blank(5);
  a.fix(4, 2);
  canvas b = canvas::blank(5);
  b.fix(4, 3);
  const decode_result ra = decode(model, a, compose(order::left_to_right{}, draw::argmax{}), 1);
  const decode_result rb = decode(model, b, compose(order::left_to_right{}, draw::argmax{}), 1);
  CHECK(ra.tokens[4] == 2);
  CHECK(rb.tokens[4] == 3);
  CHECK(ra.steps == 4);
  CHECK(ra.tokens != rb.tokens);
  CHECK(std::vector<token>(ra.tokens.begin(), ra.tokens.begin() + 4) !=
        std::vector<token>(rb.tokens.begin(), rb.tokens.begin() + 4));
}

TEST_CASE("one masked position, and none") {
  whole model;
  CHECK(decode(model, canvas::blank(1), compose(everything, draw::argmax{}), 1).steps == 1);
  const batch_result none = decode(model, std::span<const canvas>{}, compose(everything, draw::argmax{}), {});
  CHECK(none.rows.empty());
  CHECK(none.network == nfe::count{});
}

TEST_CASE("tokens that a run before committed are context like any other") {
  whole model;
  canvas c = canvas::blank(6);
  c.commit(2, 5);
  const decode_result r = decode(model, c, compose(timed{8, 1}, draw::categorical{}, sometimes{1}), 1);
  CHECK(r.tokens[2] == 5);
  CHECK(r.step[2] == never);
  CHECK(r.reason == stop_reason::complete);
}
