// Rows of logits that cannot be used: the position waits; if none is left the row ends with an error, and only that row.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "lacuna/core/errors.hpp"
#include "lacuna/rank/left_to_right.hpp"
#include "lacuna/sample/compose.hpp"
#include "lacuna/sample/decode.hpp"
#include "tests/sample/models.hpp"
#include "tests/sample/policies.hpp"
#include "tests/sample/results.hpp"

using namespace lacuna;
using namespace lacuna::tests;

namespace {

constexpr float inf = std::numeric_limits<float>::infinity();
constexpr float no_number = std::numeric_limits<float>::quiet_NaN();

/// `scrambled`, but −inf at position `at` of rows of length `length` while any other position is masked (or always).
network dead_at(std::size_t at, std::size_t length, bool always) {
  return [=](std::span<const token> row, std::size_t l, std::span<float> out) {
    scrambled(row, l, out);
    if (l == at && row.size() == length && (always || std::count(row.begin(), row.end(), 7) > 1))
      std::fill(out.begin(), out.end(), -inf);
  };
}

}  // namespace

TEST_CASE("all mass on the mask token: it is never drawn, the rest of the row decides") {
  whole model;
  model.logits = [](std::span<const token>, std::size_t l, std::span<float> out) {
    std::fill(out.begin(), out.end(), 0.0F);
    out[7] = 1e30F;
    out[l % 7] = 1.0F;
  };
  const decode_result r = decode(model, canvas::blank(9), compose(surest(1), draw::argmax{}), 1);
  CHECK(r.tokens == std::vector<token>{0, 1, 2, 3, 4, 5, 6, 0, 1});
  CHECK(r.confidence[0] == doctest::Approx(std::exp(1.0) / (std::exp(1.0) + 6)));
}

TEST_CASE("mass on the mask token only: a typed error that names the row, the step and a position") {
  whole model;
  model.logits = [](std::span<const token>, std::size_t, std::span<float> out) {
    std::fill(out.begin(), out.end(), -inf);
    out[7] = inf;
  };
  CHECK_THROWS_WITH_AS(decode(model, canvas::blank(3), compose(surest(1), draw::argmax{}), 1),
                       "row 0: model: step 0: none of the 3 masked positions scored (the first is 0) has a finite logit for a "
                       "token that may be generated",
                       model_error);
}

TEST_CASE("one NaN logit is an impossible token and nothing more") {
  whole model;
  model.logits = [](std::span<const token> row, std::size_t l, std::span<float> out) {
    scrambled(row, l, out);
    if (l == 2) out[3] = no_number;
  };
  whole control;
  control.logits = [](std::span<const token> row, std::size_t l, std::span<float> out) {
    scrambled(row, l, out);
    if (l == 2) out[3] = -inf;
  };
  const auto sampler = compose(order::top_k{rank::entropy{}, pace::linear{3}}, draw::categorical{});
  const decode_result r = decode(model, canvas::blank(6), sampler, 1);
  CHECK(r.reason == stop_reason::complete);
  CHECK(same(r, decode(control, canvas::blank(6), sampler, 1)));
}

TEST_CASE("a row of NaN is as unusable as one of -infinity") {
  whole model;
  model.logits = [](std::span<const token>, std::size_t, std::span<float> out) {
    std::fill(out.begin(), out.end(), no_number);
  };
  CHECK_THROWS_AS(decode(model, canvas::blank(3), compose(surest(1), draw::argmax{}), 1), model_error);
}

TEST_CASE("a position of -infinity is ranked last and decoded once the model has an opinion") {
  for (const std::size_t k : {1U, 3U, 100U}) {
    whole model;
    model.logits = dead_at(0, 5, false);
    const decode_result r =
        decode(model, canvas::blank(5), compose(order::top_k{rank::left_to_right{}, pace::constant{k}}, draw::argmax{}), 1);
    CHECK(r.reason == stop_reason::complete);
    CHECK(r.step[0] == r.steps - 1);
    for (std::size_t i = 1; i < 5; ++i) CHECK(r.step[i] < r.step[0]);
  }
}

TEST_CASE("a row that cannot go on ends with an error that names it; the rest of the batch goes on") {
  whole model;
  model.logits = dead_at(1, 4, true);
  const std::vector<canvas> rows{canvas::blank(5), canvas::blank(4), canvas::blank(5)};
  const auto sampler = compose(surest(1), draw::categorical{});
  const batch_result r = decode(model, std::span{rows}, sampler, {.seed = 2});
  CHECK(r.rows[1].reason == stop_reason::error);
  CHECK(
      r.rows[1].error ==
      "row 1: model: step 3: none of the 1 masked positions scored (the first is 1) has a finite logit for a token that may be "
      "generated");
  CHECK(r.rows[1].steps == 3);
  CHECK(r.rows[1].cost.calls() == 4);  // the pass that brought nothing was made
  CHECK(r.rows[1].tokens[0] != model.mask);
  CHECK(r.rows[1].tokens[1] == model.mask);
  CHECK(r.rows[1].cells[1] == cell::masked);

  whole healthy;
  const batch_result control = decode(healthy, std::span{rows}, sampler, {.seed = 2});
  CHECK(same(r.rows[0], control.rows[0]));
  CHECK(same(r.rows[2], control.rows[2]));
  CHECK(r.rows[0].error.empty());
}

TEST_CASE("one canvas that cannot go on throws") {
  whole model;
  model.logits = dead_at(1, 4, true);
  CHECK_THROWS_WITH_AS(
      decode(model, canvas::blank(4), compose(surest(1), draw::argmax{}), 1),
      "row 0: model: step 3: none of the 1 masked positions scored (the first is 1) has a finite logit for a token that may be "
      "generated",
      model_error);
}

TEST_CASE("an observer's own model_error is not taken for the row's") {
  whole model;
  const auto angry = [](const step_event&) { throw model_error("mine"); };
  const std::vector<canvas> rows(2, canvas::blank(3));
  CHECK_THROWS_WITH_AS(decode(model, std::span{rows}, compose(surest(1), draw::argmax{}), {}, angry), "mine", model_error);
}
