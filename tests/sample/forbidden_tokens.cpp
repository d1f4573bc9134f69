// Tokens never to be generated, and the mask id where it is text.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "lacuna/sample/compose.hpp"
#include "lacuna/sample/decode.hpp"
#include "tests/sample/models.hpp"
#include "tests/sample/policies.hpp"

using namespace lacuna;
using namespace lacuna::tests;

TEST_CASE("a forbidden token with the highest logit is never drawn and counts in no probability") {
  whole model;
  model.forbidden = {5, 2};
  model.logits = [](std::span<const token>, std::size_t, std::span<float> out) {
    std::fill(out.begin(), out.end(), 0.0F);
    out[5] = 50;
    out[2] = 40;
    out[4] = 1;
  };
  const decode_result r = decode(model, canvas::blank(6), compose(surest(2), draw::argmax{}), 1);
  CHECK(r.tokens == std::vector<token>(6, 4));
  CHECK(r.confidence[3] == doctest::Approx(std::exp(1.0) / (std::exp(1.0) + 4)));  // tokens 0, 1, 3, 6 beside it
  const decode_result s = decode(model, canvas::blank(400), compose(everything, draw::categorical{}), 1);
  for (const token t : {2, 5, 7}) CHECK(std::count(s.tokens.begin(), s.tokens.end(), t) == 0);
  for (const token t : {0, 1, 3, 4, 6}) CHECK(std::count(s.tokens.begin(), s.tokens.end(), t) > 0);
}

TEST_CASE("a forbidden token may stand in the prompt") {
  whole model;
  model.forbidden = {5};
  const decode_result r =
      decode(model, canvas::continuation(std::vector<token>{5, 5}, 4), compose(order::left_to_right{}, draw::argmax{}), 1);
  CHECK(r.tokens[0] == 5);
  CHECK(r.tokens[1] == 5);
}

TEST_CASE("the mask id as ordinary text in the prompt stays and is not decoded") {
  whole model;
  const canvas c = canvas::infill({7, 1, 7, 3}, std::vector<std::size_t>{1});
  const decode_result r = decode(model, c, compose(order::left_to_right{}, draw::argmax{}), 1);
  CHECK(r.steps == 1);
  CHECK(r.tokens[0] == 7);
  CHECK(r.tokens[1] != 7);
  CHECK(r.tokens[2] == 7);
  CHECK(r.cells == std::vector<cell>{cell::fixed, cell::committed, cell::fixed, cell::fixed});
  CHECK(r.step == std::vector<std::size_t>{never, 0, never, never});
}

TEST_CASE("masks inside the prompt are decoded, the model sees its mask id there and the prompt elsewhere") {
  whole model;
  std::vector<std::vector<token>> seen;
  model.logits = [&](std::span<const token> row, std::size_t l, std::span<float> out) {
    if (l == 0) seen.emplace_back(row.begin(), row.end());
    scrambled(row, l, out);
  };
  canvas c = canvas::continuation(std::vector<token>{1, 2, 3}, 5);
  c.mask(1);
  const decode_result r = decode(model, c, compose(order::left_to_right{}, draw::argmax{}), 1);
  CHECK(seen.front() == std::vector<token>{1, 7, 3, 7, 7});
  CHECK(seen.back() == std::vector<token>{1, r.tokens[1], 3, r.tokens[3], 7});
  CHECK(r.steps == 3);
  CHECK(r.tokens[0] == 1);
  CHECK(r.tokens[2] == 3);
  CHECK(r.cells[1] == cell::committed);
}
