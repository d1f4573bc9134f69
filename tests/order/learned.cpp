#include "lacuna/order/learned.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "lacuna/concepts/hidden_state_model.hpp"
#include "lacuna/concepts/masked_model.hpp"
#include "lacuna/concepts/order_policy.hpp"
#include "lacuna/draw/argmax.hpp"
#include "lacuna/order/blocks.hpp"
#include "lacuna/sample/compose.hpp"
#include "lacuna/sample/decode.hpp"

namespace {

using namespace lacuna;

/// Shows the position as its only hidden number; every row likes token 0, the more the further left.
struct model {
  static constexpr std::size_t vocabulary_size() { return 3; }
  static constexpr token mask_token() { return 2; }
  static constexpr std::size_t hidden_size() { return 1; }
  struct both {
    tensor<float, 3> logits, hidden;
  };
  both with_hidden(const token_batch& x) const {
    const std::size_t rows = x.shape(0), length = x.shape(1);
    both out{xt::zeros<float>({rows, length, std::size_t{3}}), xt::zeros<float>({rows, length, std::size_t{1}})};
    for (std::size_t b = 0; b < rows; ++b)
      for (std::size_t l = 0; l < length; ++l) {
        out.logits(b, l, 0) = 5 - 0.5F * static_cast<float>(l);
        out.hidden(b, l, 0) = static_cast<float>(l);
      }
    return out;
  }
  tensor<float, 3> operator()(const token_batch& x) const { return with_hidden(x).logits; }
};
static_assert(hidden_state_model<model> && masked_model<model>);

/// Likes positions before `edge` steps have gone: logit 3 for the left ones, -3 for the others.
struct left_first {
  struct scratch {};
  double edge = 3;
  static constexpr std::size_t hidden_size() { return 1; }
  void operator()(const reveal_context& c, scratch&, std::span<double> logits) const {
    for (std::size_t k = 0; k < c.size(); ++k)
      logits[k] = static_cast<double>(c.hidden[k]) < edge ? 3 : -3 + 0.01 * c.hidden[k];
  }
};
static_assert(reveal_head<left_first>);
static_assert(order_policy<order::learned<left_first>>);
static_assert(order_policy<order::learned<left_first, order::at_least>>);
static_assert(order::reveal_choice<order::by_chance> && order::reveal_choice<order::at_least>);

struct wide_head : left_first {
  static constexpr std::size_t hidden_size() { return 7; }
};

struct no_scratch {
  static constexpr std::size_t hidden_size() { return 0; }
  void operator()(const reveal_context&, std::span<double>) const {}
};
static_assert(!reveal_head<no_scratch>);

decode_result run(const auto& order, std::size_t length = 6, std::uint64_t seed = 1) {
  const model m;
  return decode(m, canvas::blank(length), compose(order, draw::argmax{}), seed);
}

}  // namespace

TEST_CASE("positions that the head likes go first, one more where it likes none, all on the last step") {
  const decode_result r = run(order::learned{left_first{}, 3, order::at_least{}});
  CHECK(r.steps == 3);
  CHECK(r.step == std::vector<std::size_t>{0, 0, 0, 2, 2, 1});  // the largest logit of those left is that of position 5
  CHECK(run(order::learned{left_first{}, 1, order::at_least{}}).steps == 1);
  CHECK(run(order::learned{left_first{}, 50, order::at_least{}}).steps == 4);  // more steps than it needs are not taken
  CHECK(run(order::learned{left_first{9}, 50, order::at_least{}}).steps == 1);
}

TEST_CASE("by chance positions come as often as the head says, apart from their neighbours") {
  constexpr std::size_t runs = 4000;
  std::vector<double> first(6, 0.0);
  for (std::size_t n = 0; n < runs; ++n) {
    const decode_result r = run(order::learned{left_first{}, 9}, 6, n);
    for (std::size_t i = 0; i < 6; ++i) first[i] += r.step[i] == 0 ? 1.0 / runs : 0;
  }
  const double likely = 1 / (1 + std::exp(-3.0));
  for (std::size_t i = 0; i < 3; ++i) CHECK(std::abs(first[i] - likely) < 4 * std::sqrt(likely * (1 - likely) / runs));
  for (std::size_t i = 3; i < 6; ++i) CHECK(std::abs(first[i] - (1 - likely)) < 0.02);
  CHECK(std::abs(first[0] - first[5]) > 0.5);
  const decode_result sure = run(order::learned{left_first{}, 9, order::by_chance{0.01}});
  CHECK(sure.step[0] == 0);
  CHECK(sure.step[2] == 0);
  CHECK(sure.step[3] > 0);
}

TEST_CASE("a learned order fills what is masked, in batches and blocks as alone") {
  const model m;
  const auto sampler = compose(order::learned{left_first{}, 4}, draw::argmax{});
  canvas gaps = canvas::blank(6);
  gaps.fix(1, 1);
  const std::vector<lacuna::job> jobs{{canvas::blank(6), 0, unlimited}, {gaps, 1, unlimited}, {canvas::blank(6), 2, unlimited}};
  const auto together = decode(m, jobs, sampler, decode_options{5, unlimited});
  CHECK(together.rows[1].tokens[1] == 1);
  for (std::size_t k = 0; k < 3; ++k) {
    const auto alone = decode(m, std::span{jobs}.subspan(k, 1), sampler, decode_options{5, unlimited});
    CHECK(alone.rows[0].tokens == together.rows[k].tokens);
    CHECK(alone.rows[0].step == together.rows[k].step);
  }
  const decode_result in_blocks = run(order::blocks{std::size_t{2}, order::learned{left_first{9}, 4}});
  CHECK(in_blocks.steps >= 3);
  CHECK(in_blocks.step[0] < in_blocks.step[2]);
  CHECK(in_blocks.step[3] < in_blocks.step[4]);
}

TEST_CASE("what a learned order cannot do is refused") {
  CHECK_THROWS_WITH_AS(run(order::learned{left_first{}, 0}), "order::learned: steps = 0, expected at least 1",
                       invalid_argument);
  CHECK_THROWS_AS(run(order::learned{left_first{}, 2, order::by_chance{0}}), invalid_argument);
  CHECK_THROWS_AS(run(order::learned{left_first{}, 2, order::at_least{1.5}}), invalid_argument);
  CHECK_THROWS_WITH_AS(run(order::learned{wide_head{}, 2}),
                       "order::learned: hidden states of 1 numbers, expected 7, those the head was trained on",
                       invalid_argument);
}
