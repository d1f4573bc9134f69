#include "lacuna/nn/neural.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "lacuna/draw/argmax.hpp"
#include "lacuna/draw/categorical.hpp"
#include "lacuna/mi/estimate.hpp"
#include "lacuna/nn/contextual_head.hpp"
#include "lacuna/nn/hadamard_head.hpp"
#include "lacuna/nn/transformer.hpp"
#include "lacuna/order/blocks.hpp"
#include "lacuna/order/dependence_bound.hpp"
#include "lacuna/order/mi_guided.hpp"
#include "lacuna/problems/markov_chain.hpp"
#include "lacuna/sample/compose.hpp"
#include "lacuna/sample/decode.hpp"
#include "lacuna/sample/run.hpp"
#include "lacuna/testing/rungs.hpp"
#include "small_networks.hpp"
#include "tests/allocation_count.hpp"

namespace {

using namespace lacuna;

using chain = testing::as_hidden<problems::markov_chain>;
problems::markov_chain plain_chain() { return problems::markov_chain::sticky(3, 0.8); }
constexpr std::size_t length = 12;

/// For hidden states of D numbers and V tokens.
nn::contextual_head contextual(std::size_t hidden, std::size_t vocabulary, std::size_t max_length = 21) {
  nn::contextual_config c;
  c.hidden = hidden;
  c.rank = 4;
  c.blocks.vocabulary = vocabulary;
  c.blocks.max_length = max_length;
  c.blocks.width = 8;
  c.blocks.depth = 1;
  c.blocks.heads = 2;
  c.blocks.feed_forward = 12;
  return {c, 3};
}
nn::contextual_head for_chain() { return contextual(6, 4); }

canvas half_known() {
  canvas c = canvas::blank(length);
  for (const std::size_t i : {1U, 2U, 7U, 8U, 11U}) c.fix(i, static_cast<token>(i % 3));
  return c;
}

/// What the head says of all masked positions of a canvas, from the model's own outputs.
template <class Model, class Head>
std::vector<double> by_hand(Model& model, const Head& head, const canvas& c) {
  const model_facts facts = facts_of(model);
  std::vector<token> row;
  std::vector<std::size_t> positions, all;
  for (std::size_t i = 0; i < c.size(); ++i) {
    row.push_back(c.is_masked(i) ? facts.mask : c[i]);
    if (c.is_masked(i)) {
      all.push_back(positions.size());
      positions.push_back(i);
    }
  }
  const auto both = model.with_hidden(view_as_tensor(std::as_const(row).data(), std::array<std::size_t, 2>{1, c.size()}));
  const std::size_t d = model.hidden_size();
  std::vector<float> hidden, rows, entropies;
  std::vector<double> log_p(facts.vocabulary);
  for (const std::size_t i : positions) {
    hidden.insert(hidden.end(), both.hidden.data() + i * d, both.hidden.data() + (i + 1) * d);
    REQUIRE(log_softmax(std::span{both.logits.data() + i * facts.vocabulary, facts.vocabulary}, facts.forbidden, log_p));
    for (const double v : log_p) rows.push_back(static_cast<float>(v));
    entropies.push_back(static_cast<float>(entropy(log_p)));
  }
  std::vector<double> out(positions.size() * positions.size());
  typename Head::scratch scratch;
  head(nn::pair_context{positions, hidden, rows, entropies}, all, scratch, out);
  return out;
}

template <class Model, class Head>
void check_by_hand(Model& model, const Head& head, const canvas& c) {
  const std::vector<double> expected = by_hand(model, head, c);
  const mi::information found = mi::estimate(model, c, mi::neural{head});
  const std::size_t n = found.size();
  REQUIRE(expected.size() == n * n);
  for (std::size_t a = 0; a < n; ++a)
    for (std::size_t b = 0; b < n; ++b)
      // an entropy may be off by a rounding of float where it was added up in another way
      CHECK(found.raw(a, b) == doctest::Approx(expected[a * n + b]).epsilon(1e-5));
  CHECK(found.raw(0, 1) > 0);
  CHECK(found.cost.of(purpose::probe).rows == 0);
}

/// Everything decoded, what was fixed kept, and no other pass than one a step.
template <class Model, class Order>
decode_result check_decodes(Model& model, const Order& order, const canvas& start) {
  const decode_result r = decode(model, start, compose(order, draw::categorical{}), 7);
  CHECK(r.reason == stop_reason::complete);
  CHECK(r.cost.of(purpose::probe).rows == 0);
  CHECK(r.cost.of(purpose::decode).rows == r.steps);
  for (std::size_t i = 0; i < start.size(); ++i)
    if (!start.is_masked(i)) CHECK(r.tokens[i] == start[i]);
  return r;
}

/// One number for every pair; what NaN comes to, and what a policy hears.
struct fixed_head {
  static constexpr statistics reads = statistics::hidden;
  struct scratch {};
  double value = 0;
  nn::parameters none{};
  nn::parameters& parameters() { return none; }
  [[nodiscard]] std::size_t hidden_size() const { return 6; }
  void check(const nn::pair_context&) const {}
  void reserve(scratch&, std::size_t) const {}
  void operator()(const nn::pair_context& context, std::span<const std::size_t>, scratch&, std::span<double> out) const {
    CHECK(context.log_p.empty());  // not named in `reads`
    CHECK(context.entropies.empty());
    std::fill(out.begin(), out.end(), value);
  }
  double loss_and_gradient(const nn::pair_example&, const nn::pair_loss&, scratch&, std::span<float>) const { return 0; }
};

template <class F>
std::string message(const F& f) {
  try {
    f();
  } catch (const error& e) {
    return e.what();
  }
  return "";
}

using neural_contextual = mi::neural<nn::contextual_head>;

}  // namespace

static_assert(reading_mi_estimator<neural_contextual>);
static_assert(!asks_probes<neural_contextual>);
static_assert(mi_estimator_for<neural_contextual, chain>);
static_assert(mi_estimator_for<neural_contextual, nn::transformer>);
static_assert(!mi_estimator_for<neural_contextual, problems::markov_chain>);

TEST_CASE("the neural estimator says what its head says of the model's outputs") {
  chain model{plain_chain()};
  check_by_hand(model, for_chain(), half_known());
  check_by_hand(model, for_chain(), canvas::blank(length));
  check_by_hand(model, nn::hadamard_head{{6, 8}, 1}, half_known());
  nn::transformer net{small_networks::with_relation(), 1};
  check_by_hand(net, contextual(24, 7), canvas::blank(21));
  check_by_hand(net, nn::hadamard_head{{24, 8}, 1}, canvas::blank(10));
}

TEST_CASE("one masked position, and none, are no trouble") {
  chain model{plain_chain()};
  const mi::neural estimator{for_chain()};
  const std::vector<token> tokens{0, 1, 2};
  CHECK(mi::estimate(model, canvas::infill(tokens, std::array<std::size_t, 1>{1}), estimator).raw(0, 0) == 0);
  CHECK(mi::estimate(model, canvas::infill(tokens, {}), estimator).size() == 0);
}

TEST_CASE("orders guided by a head decode without a probe: infill, blocks, transformers, and models of every rung alike") {
  const mi::neural estimator{for_chain()};
  chain model{plain_chain()};
  testing::as_selective_hidden selective{plain_chain()};
  const auto both = [&](const auto& order) {
    const decode_result a = check_decodes(model, order, half_known());
    const decode_result b = check_decodes(selective, order, half_known());
    CHECK(a.tokens == b.tokens);
    CHECK(a.steps == b.steps);
    return a.steps;
  };
  CHECK(both(order::mi_guided{estimator, 0.0}) == 7);
  CHECK(both(order::dependence_bound{estimator, std::numeric_limits<double>::infinity()}) == 1);
  both(order::mi_guided{estimator, 2.0});
  both(order::dependence_bound{estimator, 0.05});
  both(order::blocks{4, order::dependence_bound{estimator, 0.05}});
  both(order::blocks{5, order::mi_guided{estimator, 2.0}});

  nn::transformer net{small_networks::with_relation(), 1};
  check_decodes(net, order::dependence_bound{mi::neural{contextual(24, 7)}, 0.05}, canvas::blank(21));
  check_decodes(net, order::mi_guided{mi::neural{nn::hadamard_head{{24, 8}, 1}}, 3.0}, canvas::blank(21));
}

TEST_CASE("a row of a batch is decoded as it is alone") {
  chain model{plain_chain()};
  const auto sampler = compose(order::dependence_bound{mi::neural{for_chain()}, 0.05}, draw::categorical{});
  const std::vector<canvas> starts{half_known(), canvas::blank(length), canvas::blank(5), half_known(), canvas::blank(21)};
  const auto together = decode(model, std::span{starts}, sampler, decode_options{3});
  const auto in_twos = decode(model, std::span{starts}, sampler, {.seed = 3, .rows_per_call = 2});
  const auto first = decode(model, std::span{starts}.first(1), sampler, decode_options{3});
  for (std::size_t r = 0; r < starts.size(); ++r) {
    CHECK(together.rows[r].tokens == in_twos.rows[r].tokens);
    CHECK(together.rows[r].steps == in_twos.rows[r].steps);
  }
  CHECK(together.rows[0].tokens == first.rows[0].tokens);
}

TEST_CASE(
    "what a head says decides: of pairs that share nothing all go at once, of pairs that share all they can one at a time") {
  chain model{plain_chain()};
  const auto steps = [&](double value) {
    return check_decodes(model, order::dependence_bound{mi::neural{fixed_head{value}}, 0.1}, canvas::blank(6)).steps;
  };
  CHECK(steps(0) == 1);
  CHECK(steps(9) == 6);
}

TEST_CASE("an estimate that is not a number names its pair") {
  chain model{plain_chain()};
  const mi::neural broken{fixed_head{std::numeric_limits<double>::quiet_NaN()}};
  const auto decoding = [&] { decode(model, half_known(), compose(order::dependence_bound{broken, 0.1}, draw::argmax{})); };
  CHECK_THROWS_AS(decoding(), model_error);  // the most certain positions are looked at first
  CHECK(message(decoding) == "row 0: mi: the estimate for positions 9 and 10 is nan, expected a finite number of nats");

  nn::contextual_head head = for_chain();
  head.parameters().values()[0] = std::numeric_limits<float>::quiet_NaN();
  CHECK_THROWS_AS(mi::estimate(model, half_known(), mi::neural{head}), estimator_error);
}

TEST_CASE("a head for other hidden states, another vocabulary or shorter sequences is refused with got and expected") {
  chain model{plain_chain()};
  const auto said = [&](const auto& head) {
    const std::string when_decoding = message([&] {
      decode(model, half_known(), compose(order::dependence_bound{mi::neural{head}, 0.1}, draw::argmax{}));
    });
    const std::string when_asked = message([&] { mi::estimate(model, half_known(), mi::neural{head}); });
    CHECK(when_decoding.find(when_asked) != std::string::npos);
    return when_asked;
  };
  const std::string width = "mi::neural: hidden states of 6 numbers, expected 7, those the head was trained on";
  CHECK(said(contextual(7, 4)) == width);
  CHECK(said(nn::hadamard_head{{7, 4}, 1}) == width);
  CHECK(said(contextual(6, 5)) == "head on pairs: got 28 log-probabilities, expected 35");
  CHECK(said(contextual(6, 4, 10)) == "head on pairs: position 10, expected less than max_length = 10");
  CHECK_THROWS_AS(mi::estimate(model, half_known(), mi::neural{contextual(7, 4)}), invalid_argument);
}

TEST_CASE("copies share the head") {
  const mi::neural estimator{for_chain()};
  const mi::neural copy = estimator;
  CHECK(&copy.head() == &estimator.head());
  CHECK(copy.head().hidden_size() == 6);
}

TEST_CASE("a step guided by a head allocates nothing after the first") {
  nn::transformer net{small_networks::with_relation(), 1};
  const auto check = [&](const auto& order) {
    auto run = start(net, compose(order, draw::categorical{}), canvas::blank(21), 3);
    run.step();
    const std::size_t before = tests::allocations();
    while (!run.done()) run.step();
    CHECK(tests::allocations() == before);
    CHECK(run.steps() > 3);
  };
  check(order::dependence_bound{mi::neural{contextual(24, 7)}, 0.05});
  check(order::dependence_bound{mi::neural{nn::hadamard_head{{24, 8}, 1}}, 0.05});
}

TEST_CASE("a first estimate makes room for all that is masked, so that a later, larger one allocates nothing") {
  const mi::neural estimator{for_chain()};
  const canvas c = canvas::blank(9);
  const std::vector<std::size_t> numbers{0, 1, 2, 3, 4, 5, 6, 7, 8};
  const std::vector<double> rows(9 * 4, std::log(0.25)), entropies(9, std::log(4.0));
  const std::vector<float> hidden(9 * 6, 0.5F);
  step_view view;
  view.sequence = &c;
  view.vocabulary = 4;
  view.rows = rows;
  view.hidden_states = hidden;
  view.width = 6;
  neural_contextual::memory memory;
  std::vector<double> out(81);
  const auto estimate = [&](std::size_t n) {
    const auto first = std::span{numbers}.first(n);
    view.positions = view.slots = first;
    view.entropies = std::span{entropies}.first(n);
    estimator.estimate(view, first, memory, std::span{out}.first(n * n));
  };
  estimate(2);
  const std::size_t before = tests::allocations();
  estimate(9);
  CHECK(tests::allocations() == before);
}
