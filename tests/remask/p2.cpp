#include "lacuna/remask/p2.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "lacuna/draw/argmax.hpp"
#include "lacuna/order/blocks.hpp"
#include "lacuna/order/top_k.hpp"
#include "lacuna/rank/drawn.hpp"
#include "lacuna/sample/compose.hpp"
#include "lacuna/sample/decode.hpp"
#include "tests/support/committed_fixture.hpp"
#include "tests/support/step_fixture.hpp"

namespace {

namespace order = lacuna::order;
namespace pace = lacuna::pace;
namespace rank = lacuna::rank;
using lacuna::remask::p2;
using lacuna::testing::committed_fixture;
using lacuna::testing::masked_again;
using lacuna::testing::step_fixture;
using positions = std::vector<std::size_t>;

static_assert(lacuna::remask_policy<p2>);
static_assert(!lacuna::has_remask_rate<p2>);
static_assert(lacuna::needs_of<p2> == lacuna::statistics::committed);
static_assert(p2{.eta = 2}.eta == 2);

/// Positions 0 … m − 1 committed, m … L − 1 masked, with given log-probabilities now.
struct scene {
  step_fixture step;
  committed_fixture committed;

  scene(const std::vector<double>& committed_now, const std::vector<double>& drawn)
      : step{committed_now.size() + drawn.size()}, committed{committed_now.size()} {
    for (std::size_t i = 0; i < committed_now.size(); ++i) step.sequence.commit(i, 0);
    for (std::size_t i = 0; i < drawn.size(); ++i) step.drawn_log_probability[committed_now.size() + i] = drawn[i];
    committed.log_probability = committed_now;
  }
};

TEST_CASE("committed tokens that are not among the best are masked again") {
  scene s({-0.1, -5, -0.3}, {-0.2, -4, -1});
  s.step.time = {0.5, 4 / 6.0, 1};  // four of six are to be known: -.1 -.2 -.3 -1
  CHECK(masked_again(p2{}, s.step.view(), s.committed) == positions{1});
  s.step.time.revealed_next = 3 / 6.0;
  CHECK(masked_again(p2{}, s.step.view(), s.committed) == positions{1});
  s.step.time.revealed_next = 1 / 6.0;
  CHECK(masked_again(p2{}, s.step.view(), s.committed) == positions{1, 2});
  s.step.time.revealed_next = 0;
  CHECK(masked_again(p2{}, s.step.view(), s.committed) == positions{0, 1, 2});
  s.step.time.revealed_next = 1;
  CHECK(masked_again(p2{}, s.step.view(), s.committed).empty());
}

TEST_CASE("eta weighs committed tokens: 0 keeps them all, more takes back more") {
  scene s({-0.1, -5, -0.3}, {-0.2, -0.25, -0.4});
  s.step.time = {0.5, 4 / 6.0, 1};
  CHECK(masked_again(p2{0}, s.step.view(), s.committed).empty());
  CHECK(masked_again(p2{1}, s.step.view(), s.committed) == positions{1});
  CHECK(masked_again(p2{2}, s.step.view(), s.committed) == positions{1, 2});
  CHECK(masked_again(p2{0.01}, s.step.view(), s.committed).empty());
}

TEST_CASE("ties keep committed tokens, the first ones first") {
  scene s({-1, -1, -1}, {-1, -1});
  s.step.time = {0.6, 0.6, 1};
  CHECK(masked_again(p2{}, s.step.view(), s.committed).empty());
  s.step.time.revealed_next = 0.4;
  CHECK(masked_again(p2{}, s.step.view(), s.committed) == positions{2});
}

TEST_CASE("a token that has become impossible is taken back") {
  scene s({-0.1, -INFINITY}, {-3});
  s.step.time = {2 / 3.0, 2 / 3.0, 1};
  CHECK(masked_again(p2{}, s.step.view(), s.committed) == positions{1});
  CHECK(masked_again(p2{0}, s.step.view(), s.committed).empty());
}

TEST_CASE("with top_k over the drawn tokens p2 keeps exactly the best of all positions") {
  // against the definition: sort all positions by score, the first `target` are known after the step
  lacuna::random_stream rng(9, lacuna::stream_use::other);
  const order::top_k order{rank::drawn{}, pace::linear{5}};
  for (std::size_t trial = 0; trial < 500; ++trial) {
    const std::size_t steps_done = 1 + rng.below(3);
    const std::size_t target_before = pace::linear{5}.target(steps_done - 1, 10);
    const double eta = trial % 2 == 0 ? 1 : 1.7;
    std::vector<double> now(target_before);
    std::vector<double> drawn(10 - target_before);
    for (auto* v : {&now, &drawn})
      for (double& x : *v) x = -0.25 * static_cast<double>(rng.below(8));  // many ties
    scene s(now, drawn);
    s.step.step = steps_done;
    lacuna::rank::ranking memory;
    s.step.time = order.time(s.step.view(), memory);
    const auto back = masked_again(p2{eta}, s.step.view(), s.committed);
    auto view = s.step.view();
    view.masked_now += back.size();
    lacuna::selection revealed;
    revealed.reset(view.size());
    order.select(view, memory, revealed, {1, lacuna::stream_use::order, 0, steps_done});

    std::vector<std::size_t> all(10);
    std::vector<double> score(10);
    for (std::size_t i = 0; i < 10; ++i) {
      all[i] = i;
      score[i] = i < target_before ? eta * now[i] : drawn[i - target_before];
    }
    std::sort(all.begin(), all.end(),
              [&](std::size_t a, std::size_t b) { return score[a] != score[b] ? score[a] > score[b] : a < b; });
    const std::size_t target = pace::linear{5}.target(steps_done, 10);
    std::vector<bool> known(10, false);
    for (std::size_t i = 0; i < target; ++i) known[all[i]] = true;

    for (std::size_t i = 0; i < 10; ++i) {
      const bool was_known = i < target_before;
      const bool is_back = was_known && std::find(back.begin(), back.end(), i) != back.end();
      CHECK((was_known ? !is_back : revealed.contains(i - target_before)) == known[i]);
    }
  }
}

/// Three tokens beside the mask. Row 0 goes by what is known at position 1: until then token 0 seems likely, then token 2 is.
struct changes_its_mind {
  [[nodiscard]] std::size_t vocabulary_size() const { return 4; }
  [[nodiscard]] lacuna::token mask_token() const { return 3; }
  lacuna::tensor<float, 3> operator()(const lacuna::token_batch& x) const {
    lacuna::tensor<float, 3> logits({x.shape(0), x.shape(1), std::size_t{4}});
    logits.fill(0);
    for (std::size_t b = 0; b < x.shape(0); ++b)
      for (std::size_t l = 0; l < x.shape(1); ++l) {
        const bool known = x(b, 1) != 3;
        logits(b, l, l == 0 ? (known ? 2 : 0) : 1) = l == 0 ? 6.0F : static_cast<float>(5 - l);
      }
    return logits;
  }
};

TEST_CASE("p2 takes back a token that the context has turned against") {
  changes_its_mind model;
  const order::top_k order{rank::drawn{}, pace::linear{4}};
  const auto without = lacuna::decode(model, lacuna::canvas::blank(4), lacuna::compose(order, lacuna::draw::argmax{}), 1);
  CHECK(without.tokens == std::vector<lacuna::token>{0, 1, 1, 1});
  const auto with = lacuna::decode(model, lacuna::canvas::blank(4), lacuna::compose(order, lacuna::draw::argmax{}, p2{}), 1);
  CHECK(with.tokens == std::vector<lacuna::token>{2, 1, 1, 1});
  CHECK(with.steps == 4);
}

TEST_CASE("p2 works within blocks") {
  changes_its_mind model;
  const order::blocks order{4, order::top_k{rank::drawn{}, pace::linear{4}}};
  const auto r = lacuna::decode(model, lacuna::canvas::blank(5), lacuna::compose(order, lacuna::draw::argmax{}, p2{}), 1);
  CHECK(r.tokens == std::vector<lacuna::token>{2, 1, 1, 1, 1});
}

TEST_CASE("p2 refuses negative, infinite and NaN weights") {
  CHECK_NOTHROW(p2{0}.validate());
  CHECK_THROWS_WITH_AS(p2{-1}.validate(), "remask::p2: eta = -1.000000, expected finite and at least 0",
                       lacuna::invalid_argument);
  CHECK_THROWS_AS(p2{INFINITY}.validate(), lacuna::invalid_argument);
  CHECK_THROWS_AS(p2{std::nan("")}.validate(), lacuna::invalid_argument);
}

}  // namespace
