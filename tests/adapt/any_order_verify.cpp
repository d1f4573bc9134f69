// Any model verifies its own draft: the same samples as one at a time, in fewer calls.
#include "lacuna/adapt/any_order_verify.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "lacuna/problems/joint_table.hpp"
#include "lacuna/rank/confidence.hpp"
#include "lacuna/rank/left_to_right.hpp"
#include "lacuna/sample/decode.hpp"
#include "lacuna/sample/full_passes.hpp"
#include "lacuna/sample/speculative.hpp"
#include "lacuna/testing/recording.hpp"
#include "lacuna/window/constant.hpp"
#include "tests/sample/models.hpp"
#include "tests/sample/results.hpp"
#include "tests/sample/speculative_law.hpp"
#include "tests/support/statistics_test.hpp"

using namespace lacuna;
using namespace lacuna::tests;
using adapt::any_order_verify;
using lacuna::testing::chi_square;
using lacuna::testing::chi_square_limit;
using problems::joint_table;

namespace {

static_assert(draft_verify_model<any_order_verify<whole>> && draft_verify_model<any_order_verify<selective>> &&
              draft_verify_model<any_order_verify<ragged>> && draft_verify_model<any_order_verify<ragged_selective>>);
static_assert(!decodable_model<any_order_verify<whole>>);

template <class Model, class Sampler>
std::vector<decode_result> rows_of(Model model, const std::vector<canvas>& starts, const Sampler& sampler,
                                   std::size_t rows_per_call = unlimited) {
  any_order_verify verifying{model, rows_per_call};
  const batch_result r = decode(verifying, std::span{starts}, sampler, {.seed = 4});
  std::size_t rows = 0;
  for (const decode_result& row : r.rows) rows += row.cost.rows();
  CHECK(rows == model.rows);
  CHECK(r.network.rows == model.rows);
  if (rows_per_call == unlimited) CHECK(r.network.calls == model.calls);
  return r.rows;
}

}  // namespace

TEST_CASE("a model that verifies its own draft gives samples of its joint") {
  joint_table joint = joint_table::random(4, 3, 5, 1.5);
  const distribution law(joint.probabilities().begin(), joint.probabilities().end());
  const std::vector<canvas> starts(2500, canvas::blank(4));
  const auto check = [&](const auto& sampler) {
    any_order_verify verifying{joint};
    std::vector<std::size_t> counts(joint.size());
    const batch_result out = decode(verifying, std::span{starts}, sampler, {.seed = 2, .rows_per_call = 500});
    for (const decode_result& r : out.rows) ++counts[joint.index_of(r.tokens)];
    CHECK(total_variation(counts, law) < noise(law, starts.size()));
    CHECK(chi_square(counts, law) < chi_square_limit(80));
  };
  check(sample::speculative{rank::random{}, window::none{}, 2});
  check(sample::speculative{rank::confidence{}, window::constant{3}, 1});
}

TEST_CASE("its targets see the tokens before them in sigma, and nothing behind") {
  lacuna::testing::recording model{joint_table::random(4, 3, 5)};
  any_order_verify verifying{model};
  const std::vector<std::size_t> slots{0, 1};
  const std::vector<std::size_t> orders{1, 3, 0, 2, /**/ 0, 1, 2, 3};
  const std::vector<token> tokens{2, 1, 0, 0, /**/ 2, 2, 1, 0};
  const std::vector<std::size_t> first{1, 0};
  const std::vector<std::size_t> last{4, 2};
  std::vector<std::vector<float>> rows(5);
  const std::size_t took = verifying.verify({slots, orders, tokens, first, last}, [&](std::size_t k, std::span<const float> r) {
    rows[k].assign(r.begin(), r.end());
  });
  CHECK(took == 5);
  CHECK(model.calls().size() == 1);
  const token _ = model.mask_token();
  const std::vector<std::vector<token>> shown{{_, 1, _, _}, {_, 1, _, 0}, {2, 1, _, 0}, {_, _, _, _}, {2, _, _, _}};
  const std::vector<std::size_t> position{3, 0, 2, 0, 1};
  for (std::size_t k = 0; k < 5; ++k) {
    const auto row = model.calls()[0].row(k);
    CHECK(std::vector<token>(row.begin(), row.end()) == shown[k]);
    const auto logits = model.model()(view_as_tensor<const token, 2>(shown[k].data(), {std::size_t{1}, std::size_t{4}}));
    CHECK(std::equal(rows[k].begin(), rows[k].end(), logits.data() + position[k] * 4));
  }
}

TEST_CASE("a model of any form verifies alike, and rows pay for their own tracks") {
  std::vector<canvas> starts;
  for (const std::size_t length : {5U, 9U, 5U, 1U, 12U}) {
    starts.push_back(canvas::blank(length));
    if (length > 1) starts.back().fix(length / 2, 3);
  }
  const sample::speculative sampler{rank::confidence{}, window::constant{4}, 2};
  const auto expected = rows_of(whole{}, starts, sampler);
  CHECK(same(expected, rows_of(selective{}, starts, sampler)));
  CHECK(same(expected, rows_of(ragged{}, starts, sampler)));
  CHECK(same(expected, rows_of(ragged_selective{}, starts, sampler, 3)));
  for (std::size_t r = 0; r < starts.size(); ++r) {
    CAPTURE(r);
    const std::vector<canvas> alone(1, starts[r]);
    whole model;
    any_order_verify verifying{model};
    const job j{starts[r], r, unlimited};
    const auto one = decode(verifying, std::span{&j, 1}, sampler, {.seed = 4}).rows[0];
    CHECK(same(one, expected[r]));
    CHECK(full_passes(one.cost, verifying) == static_cast<double>(model.rows));
  }
}

TEST_CASE("facts of a model that verifies its own draft show through, logits that are shifted are put right") {
  whole model;
  model.end = 2;
  model.forbidden = {1};
  model.longest = 30;
  any_order_verify verifying{model};
  const model_facts facts = facts_of(verifying);
  CHECK(facts.vocabulary == model.vocabulary);
  CHECK(facts.forbidden == std::vector<token>{1, 7});
  CHECK(facts.end == 2);
  CHECK(facts.max_length == 30);

  canvas c = canvas::blank(8);
  c.fix(0, 3);
  const auto plain = decode(verifying, c, sample::speculative{rank::left_to_right{}}, 3);
  whole shifted = model;
  shifted.shift = 1;
  shifted.logits = [](std::span<const token> row, std::size_t l, std::span<float> out) { scrambled(row, l + 1, out); };
  any_order_verify put_right{shifted};
  const auto r = decode(put_right, c, sample::speculative{rank::left_to_right{}}, 3);
  CHECK(facts_of(put_right).logits_shift == 0);
  CHECK(std::count(plain.tokens.begin(), plain.tokens.end(), 1) == 0);
  CHECK(same(plain, r));
}

TEST_CASE("a model that verifies its own draft can be moved") {
  whole model;
  any_order_verify first{model};
  const auto expected = decode(first, canvas::blank(6), sample::speculative{}, 1);
  any_order_verify second{std::move(first)};
  CHECK(same(decode(second, canvas::blank(6), sample::speculative{}, 1), expected));
}
