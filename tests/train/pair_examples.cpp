#include "lacuna/train/pair_examples.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "lacuna/mi/agreement.hpp"
#include "lacuna/mi/enumerated.hpp"
#include "lacuna/nn/contextual_head.hpp"
#include "lacuna/nn/trainable_head.hpp"
#include "lacuna/problems/markov_chain.hpp"
#include "lacuna/testing/rungs.hpp"
#include "lacuna/train/labelling.hpp"
#include "lacuna/train/trainer.hpp"

namespace {

using namespace lacuna;
using train::labelled_context;
using train::pair_examples;

constexpr token m = labelled_context::masked;
constexpr std::size_t length = 8;

/// Three states; the hidden state of a position is its row, whether it is masked, and where it is.
using chain = testing::as_hidden<problems::markov_chain>;
chain model_of_chain() { return chain{problems::markov_chain::sticky(3, 0.8)}; }

/// Contexts of the chain with known tokens here and there, labelled exactly: all rows, or so many.
std::vector<labelled_context> contexts(std::size_t count, std::size_t rows, std::uint64_t seed = 1) {
  chain model = model_of_chain();
  random_stream random{seed, stream_use::other};
  std::vector<canvas> canvases;
  for (std::size_t c = 0; c < count; ++c) {
    canvas one = canvas::blank(length);
    for (std::size_t i = 0; i < length; ++i)
      if (random.uniform() < 0.35) one.fix(i, static_cast<token>(random.below(3)));
    canvases.push_back(one);
  }
  return train::label_contexts(model, mi::enumerated{}, canvases, rows, random);
}

template <class F>
std::string message(const F& f) {
  try {
    f();
  } catch (const invalid_argument& e) {
    return e.what();
  }
  return "";
}

nn::contextual_head head_for_chain() {
  nn::contextual_config c;
  c.hidden = 3 + 1 + 2;  // the chain's vocabulary has the mask, too
  c.rank = 8;
  c.blocks.vocabulary = 4;
  c.blocks.max_length = length;
  c.blocks.width = 16;
  c.blocks.depth = 1;
  c.blocks.heads = 2;
  c.blocks.feed_forward = 32;
  nn::position_relation apart;  // how far apart two positions are
  apart.count = length;
  for (std::uint32_t q = 0; q < length; ++q)
    for (std::uint32_t k = 0; k < length; ++k) apart.ids.push_back(q < k ? k - q : q - k);
  c.blocks.relation = apart;
  return {c, 1};
}

train::options<> run_of(std::size_t steps) {
  train::options<> options;
  options.steps = steps;
  options.seed = 5;
  options.schedule = {0.01, 0.1, 10};
  return options;
}

/// All pairs that weigh: the head's estimates and the targets.
template <class Head>
double r_squared_of(const Head& head, const pair_examples& examples) {
  std::vector<double> got, truth;
  typename Head::scratch scratch;
  for (std::size_t e = 0; e < examples.size(); ++e) {
    const nn::pair_example one = examples[e];
    const std::size_t n = one.context.size();
    std::vector<std::size_t> all(n);
    for (std::size_t k = 0; k < n; ++k) all[k] = k;
    std::vector<double> out(n * n);
    head(one.context, all, scratch, out);
    for (std::size_t a = 0; a < n; ++a)
      for (std::size_t b = 0; b < a; ++b)
        if (one.weights[a * n + b] > 0) {
          got.push_back(out[a * n + b]);
          truth.push_back(static_cast<double>(one.targets[a * n + b]));
        }
  }
  return mi::r_squared(got, truth);
}

}  // namespace

static_assert(train::training_batch<train::pair_batch>);
static_assert(train::batch_source<train::pair_training_set>);
static_assert(train::batch_source<const train::pair_training_set&>);

TEST_CASE("a target is the mean of the clamped directions that were probed; two weigh 1, one a half") {
  chain model = model_of_chain();
  const labelled_context c{{m, 1, m, m, m}, {0, 3}, {0, 0.25F, -0.125F, 9, 0.125F, 9, 0, 0.0625F}};
  pair_examples known;
  known.add(model, std::vector{c});
  REQUIRE(known.size() == 1);
  CHECK(known.length(0) == 5);
  const nn::pair_example e = known[0];
  CHECK(std::vector<std::size_t>(e.context.positions.begin(), e.context.positions.end()) ==
        std::vector<std::size_t>{0, 2, 3, 4});
  const auto cap = [&](std::size_t a, std::size_t b) { return std::min(e.context.entropies[a], e.context.entropies[b]); };
  CHECK(cap(0, 1) > 0.25F);
  CHECK(cap(1, 2) < 9);
  const std::vector<float> weights(e.weights.begin(), e.weights.end());
  const std::vector<float> expected_weights{0, 0.5F, 1, 0.5F, 0.5F, 0, 0.5F, 0, 1, 0.5F, 0, 0.5F, 0.5F, 0, 0.5F, 0};
  CHECK(weights == expected_weights);
  const auto target = [&](std::size_t a, std::size_t b) {
    CHECK(e.targets[a * 4 + b] == e.targets[b * 4 + a]);
    return e.targets[a * 4 + b];
  };
  CHECK(target(0, 1) == 0.25F);      // probed from 0 alone
  CHECK(target(0, 2) == 0.0625F);    // -0.125 is 0, 0.125 the other way
  CHECK(target(0, 3) == cap(0, 3));  // 9 is too much
  CHECK(target(1, 2) == cap(1, 2));
  CHECK(target(2, 3) == 0.0625F);
}

TEST_CASE("a context comes with the rows, entropies and hidden states that the model shows of it") {
  chain model = model_of_chain();
  pair_examples known;
  known.add(model, std::vector{labelled_context{{m, 1, m}, {2}, {0.1F, 0}}});
  const nn::pair_context c = known[0].context;
  const std::vector<token> row{model.mask_token(), 1, model.mask_token()};
  const auto both = model.with_hidden(view_as_tensor(row.data(), std::array<std::size_t, 2>{1, 3}));
  const std::size_t v = model.vocabulary_size();
  const std::size_t d = model.hidden_size();
  REQUIRE(c.hidden.size() == 2 * d);
  REQUIRE(c.log_p.size() == 2 * v);
  std::vector<double> log_p(v);
  const model_facts facts = facts_of(model);
  for (std::size_t k = 0; k < 2; ++k) {
    REQUIRE(log_softmax(std::span{both.logits.data() + 2 * k * v, v}, facts.forbidden, log_p));
    CHECK(c.entropies[k] == static_cast<float>(entropy(log_p)));
    for (std::size_t t = 0; t < v; ++t) CHECK(c.log_p[k * v + t] == static_cast<float>(log_p[t]));
    for (std::size_t i = 0; i < d; ++i) CHECK(c.hidden[k * d + i] == both.hidden.data()[2 * k * d + i]);
  }
}

TEST_CASE("contexts are the same however many go into a call, also of different lengths; those without pairs are left out") {
  std::vector<labelled_context> all = contexts(9, 0);
  all.insert(all.begin() + 2, labelled_context{{m, 1, 2}, {0}, {0}});      // one masked position
  all.insert(all.begin() + 4, labelled_context{{0, 1, 2}, {}, {}});        // none
  all.insert(all.begin() + 5, labelled_context{{m, m, 2}, {}, {}});        // nothing known of its pair
  all.insert(all.begin() + 6, labelled_context{{m, m}, {1}, {0.25F, 0}});  // shorter
  chain plain = model_of_chain();
  pair_examples at_once, one_by_one;
  at_once.add(plain, all);
  one_by_one.add(plain, all, 1);
  testing::as_selective_hidden<problems::markov_chain> selective{problems::markov_chain::sticky(3, 0.8)};
  pair_examples out_of_order;
  out_of_order.add(selective, std::span{all}.first(6), 3);
  out_of_order.add(selective, std::span{all}.subspan(6), 3);
  REQUIRE(at_once.size() == 10);
  for (const pair_examples* other : {&one_by_one, &out_of_order}) {
    REQUIRE(other->size() == 10);
    for (std::size_t e = 0; e < 10; ++e) {
      const nn::pair_example a = at_once[e], b = (*other)[e];
      CHECK(at_once.length(e) == other->length(e));
      const auto same = [](auto x, auto y) { return std::equal(x.begin(), x.end(), y.begin(), y.end()); };
      CHECK(same(a.context.positions, b.context.positions));
      CHECK(same(a.context.hidden, b.context.hidden));
      CHECK(same(a.context.log_p, b.context.log_p));
      CHECK(same(a.context.entropies, b.context.entropies));
      CHECK(same(a.targets, b.targets));
      CHECK(same(a.weights, b.weights));
    }
  }
}

TEST_CASE("examples stay where they are when more are added") {
  chain model = model_of_chain();
  pair_examples known;
  known.add(model, contexts(1, 0));
  const nn::pair_example first = known[0];
  known.add(model, contexts(50, 0, 2));
  CHECK(known[0].targets.data() == first.targets.data());
  CHECK(known[0].context.positions.data() == first.context.positions.data());
}

TEST_CASE("contexts that do not hold together or that the model does not take are refused, and nothing is added") {
  chain model = model_of_chain();
  pair_examples known;
  const labelled_context good{{m, 1, m}, {0, 2}, {0, 0.1F, 0.1F, 0}};
  const auto said = [&](const auto& change) {
    labelled_context c = good;
    change(c);
    return message([&] { known.add(model, std::vector{good, c}); });
  };
  CHECK(said([](auto& c) { c.tokens[1] = 4; }) == "labelled context: token 4, expected less than 4");
  CHECK(said([](auto& c) { c.tokens[1] = -2; }) == "labelled context: token -2, expected less than 4");
  CHECK(said([](auto& c) { c.information.pop_back(); }) == "labelled context: 3 numbers, expected 2 x 2");
  CHECK(said([](auto& c) { c.probed[1] = 1; }) == "labelled context: position 1 was probed, expected a masked one");
  CHECK(said([](auto& c) { c.probed[1] = 7; }) == "labelled context: position 7 was probed, expected a masked one");
  CHECK(said([](auto& c) { c.probed = {2, 0}; }) == "labelled context: position 0 was probed after 2, expected ascending ones");
  CHECK(said([](auto& c) { c.probed = {2, 2}; }).find("after 2") != std::string::npos);
  CHECK(said([](auto& c) { c.information[2] = std::numeric_limits<float>::quiet_NaN(); }) ==
        "labelled context: information nan of positions 2 and 0, expected a finite number of nats");
  CHECK(message([&] { known.add(model, std::vector{good}, 0); }) == "pairs: rows_per_call = 0, expected at least 1");
  CHECK(known.size() == 0);
  CHECK(message([&] { train::pair_training_set(known, 4); }) == "pairs: 0 examples, expected at least 1");
  known.add(model, std::vector{good});
  CHECK(known.size() == 1);
  CHECK(message([&] { train::pair_training_set(known, 0); }) == "pairs: a batch has 0 examples, expected at least 1");
}

TEST_CASE("a batch counts its pairs as they weigh, and draws for a step what it drew before") {
  chain model = model_of_chain();
  pair_examples known;
  known.add(model, contexts(20, 2));
  const train::pair_training_set source{known, 6};
  train::pair_batch batch, again;
  random_stream a{1, stream_use::training, 0, 3}, b{1, stream_use::training, 0, 3};
  source(3, batch, a);
  source(3, again, b);
  REQUIRE(batch.rows() == 6);
  double units = 0;
  for (std::size_t r = 0; r < 6; ++r) {
    CHECK(batch.view()[r].targets.data() == again.view()[r].targets.data());
    for (const float w : batch.view()[r].weights) units += static_cast<double>(w) / 2;
  }
  CHECK(batch.units() == doctest::Approx(units));
  batch.clear();
  CHECK(batch.rows() == 0);
  CHECK(batch.units() == 0);
}

TEST_CASE("a head learns what the pairs of a chain share, where an untrained one knows nothing") {
  chain model = model_of_chain();
  pair_examples known;
  known.add(model, contexts(60, 0));
  nn::contextual_head head = head_for_chain();
  CHECK(r_squared_of(head, known) < 0.3);
  nn::trainable_head trained{head, {1, 0.01, 1e-3}};
  double first = 0, last = 0;
  train::run(trained, train::pair_training_set{known, 16}, run_of(400), [&](const train::step_report& r, const auto&) {
    if (r.step == 1) first = r.loss;
    last = r.mean_loss;
  });
  CHECK(last < first / 4);
  CHECK(r_squared_of(head, known) > 0.9);
}

TEST_CASE("a resumed training of a head ends with the weights of an uninterrupted one, bit for bit, with two threads") {
  chain model = model_of_chain();
  pair_examples known;
  known.add(model, contexts(20, 3));
  const auto trained = [&](train::options<> options, std::size_t stop_after) {
    nn::contextual_head head = head_for_chain();
    nn::trainable_head learner{head, {}, 2};
    train::run(learner, train::pair_training_set{known, 5}, options,
               [&](const train::step_report& r, const auto&) { return r.step < stop_after; });
    const auto values = head.parameters().values();
    return std::vector<float>(values.begin(), values.end());
  };
  const std::vector<float> whole = trained(run_of(12), 100);
  train::options<> options = run_of(12);
  options.checkpoint = std::filesystem::temp_directory_path() / "lacuna_pair_examples_resume.safetensors";
  std::filesystem::remove(options.checkpoint);
  CHECK(trained(options, 5) != whole);
  CHECK(trained(options, 100) == whole);
  std::filesystem::remove(options.checkpoint);
}
