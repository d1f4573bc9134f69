#include "lacuna/nn/trainable_head.hpp"

#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include <doctest/doctest.h>

#include "lacuna/nn/contextual_head.hpp"
#include "lacuna/nn/hadamard_head.hpp"
#include "lacuna/train/trainable_model.hpp"
#include "pair_contexts.hpp"

namespace {

using namespace lacuna;
using namespace pair_contexts;
using examples = std::span<const nn::pair_example>;

/// The least that is a head: one number for all pairs.
struct archetype {
  static constexpr statistics reads = statistics::hidden;
  struct scratch {};
  archetype() { own.add("w", {1}, false); }
  archetype(const archetype&) = delete;
  archetype& operator=(const archetype&) = delete;
  [[nodiscard]] std::size_t hidden_size() const { return 1; }
  nn::parameters& parameters() { return own; }
  void check(const nn::pair_context&) const {}
  void reserve(scratch&, std::size_t) const {}
  void operator()(const nn::pair_context&, std::span<const std::size_t>, scratch&, std::span<double> out) const {
    for (double& v : out) v = static_cast<double>(own.values()[0]);
  }
  double loss_and_gradient(const nn::pair_example& e, const nn::pair_loss& loss, scratch&, std::span<float> gradient) const {
    double total = 0;
    for (std::size_t a = 0; a < e.context.size(); ++a)
      for (std::size_t b = 0; b < a; ++b) {
        const std::size_t at = a * e.context.size() + b;
        const auto found = loss(static_cast<double>(own.values()[0]), static_cast<double>(e.targets[at]));
        total += static_cast<double>(e.weights[at]) * found.value;
        gradient[0] += e.weights[at] * static_cast<float>(found.slope);
      }
    return total;
  }
  nn::parameters own;
};
struct without_check : archetype {
  void check(const nn::pair_context&) const = delete;
};
struct without_size : archetype {
  void hidden_size() const;
};
struct float_loss : archetype {
  float loss_and_gradient(const nn::pair_example&, const nn::pair_loss&, scratch&, std::span<float>) const;
};
struct copies_parameters : archetype {
  nn::parameters parameters();
};
struct estimates_in_float : archetype {
  void operator()(const nn::pair_context&, std::span<const std::size_t>, scratch&, std::span<float>) const;
};

nn::contextual_head small_head() {
  nn::contextual_config c;
  c.hidden = 5;
  c.rank = 3;
  c.blocks.vocabulary = 4;
  c.blocks.max_length = 20;
  c.blocks.width = 8;
  c.blocks.depth = 1;
  c.blocks.heads = 2;
  c.blocks.feed_forward = 12;
  return {c, 3};
}

/// Owns seven examples of different sizes.
struct some_examples {
  std::vector<owned_example> owned;
  std::vector<nn::pair_example> views;
  some_examples() {
    for (const std::size_t n : {4U, 2U, 7U, 3U, 1U, 5U, 6U}) owned.push_back(random_example(n, 5, 4, n));
    for (const owned_example& e : owned) views.push_back(e.view());
  }
  some_examples(const some_examples&) = delete;
  some_examples& operator=(const some_examples&) = delete;
};

struct result {
  double loss;
  std::vector<float> gradient;
};
template <class Head>
result with_threads(Head& head, const some_examples& of, std::size_t threads, const nn::pair_loss& loss = {}) {
  nn::trainable_head model{head, loss, threads};
  result out{0, std::vector<float>(head.parameters().values().size())};
  out.loss = model.loss_and_gradient(of.views, out.gradient);
  result again{0, std::vector<float>(out.gradient.size())};
  again.loss = model.loss_and_gradient(of.views, again.gradient);
  CHECK(again.loss == out.loss);  // bit for bit
  CHECK(again.gradient == out.gradient);
  return out;
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

}  // namespace

static_assert(nn::pair_head<archetype>);
static_assert(!nn::pair_head<int>);
static_assert(!nn::pair_head<without_check>);
static_assert(!nn::pair_head<without_size>);
static_assert(!nn::pair_head<float_loss>);
static_assert(!nn::pair_head<copies_parameters>);
static_assert(!nn::pair_head<estimates_in_float>);
static_assert(train::trainable_model<nn::trainable_head<archetype>, examples>);
static_assert(train::trainable_model<nn::trainable_head<nn::contextual_head>, examples>);
static_assert(train::trainable_model<nn::trainable_head<nn::hadamard_head>, examples>);
static_assert(!train::trainable_model<nn::trainable_head<nn::hadamard_head>>, "no tokens");

TEST_CASE("loss and gradient are the sums over the examples, for any number of threads, and deterministic for each") {
  const some_examples of;
  const nn::pair_loss loss{1, 0.1, 1e-2};
  nn::contextual_head contextual = small_head();
  nn::hadamard_head hadamard{{5, 6}, 3};
  const auto check = [&](auto& head) {
    result expected{0, std::vector<float>(head.parameters().values().size())};
    typename std::remove_cvref_t<decltype(head)>::scratch scratch;
    for (const nn::pair_example& e : of.views) expected.loss += head.loss_and_gradient(e, loss, scratch, expected.gradient);
    CHECK(expected.loss > 0);
    for (const std::size_t threads : {1U, 2U, 3U, 9U}) {
      const result got = with_threads(head, of, threads, loss);
      CHECK(got.loss == doctest::Approx(expected.loss).epsilon(1e-12));
      // seven examples, added in another order
      CHECK(comparing::difference(got.gradient, expected.gradient) < 4 * comparing::rounding(of.views.size()));
    }
  };
  check(contextual);
  check(hadamard);
}

TEST_CASE("a gradient is added to what is there, and no examples are nothing") {
  const some_examples of;
  nn::contextual_head head = small_head();
  const result from_zero = with_threads(head, of, 2);
  nn::trainable_head model{head, {}, 2};
  std::vector<float> gradient(from_zero.gradient.size(), 1.0F);
  CHECK(model.loss_and_gradient({}, gradient) == 0);
  CHECK(gradient == std::vector<float>(gradient.size(), 1.0F));
  CHECK(model.loss_and_gradient(of.views, gradient) == from_zero.loss);
  std::vector<float> expected = from_zero.gradient;
  for (float& g : expected) g += 1;
  CHECK(comparing::difference(gradient, expected) < 4 * comparing::rounding(of.views.size()));
  CHECK(&model.parameters() == &head.parameters());
}

TEST_CASE("the archetype learns the weighted mean") {
  archetype head;
  nn::trainable_head model{head};
  owned_example e = random_example(3, 1, 2, 1);
  e.weights = {0, 1, 0.5F, 1, 0, 0, 0.5F, 0, 0};
  e.targets = {0, 0.3F, 0.6F, 0.3F, 0, 9, 0.6F, 9, 0};
  for (int step = 0; step < 100; ++step) {
    std::vector<float> gradient(1);
    model.loss_and_gradient(std::vector{e.view()}, gradient);
    head.own.values()[0] -= 0.2F * gradient[0];
  }
  CHECK(head.own.values()[0] == doctest::Approx(0.4).epsilon(1e-5));
}

TEST_CASE("no threads and a loss that is none are refused") {
  nn::contextual_head head = small_head();
  CHECK(message([&] { nn::trainable_head(head, {}, 0); }) == "trainable_head: got 0 threads, expected at least 1");
  CHECK(message([&] { nn::trainable_head(head, {0, 0}); }).find("pair_loss: weights") == 0);
}

TEST_CASE("examples that the head does not take are refused before any thread begins, with what was got and expected") {
  nn::contextual_head head = small_head();
  nn::trainable_head model{head, {}, 2};
  const owned_example good = random_example(3, 5, 4, 3);
  std::vector<float> gradient(head.parameters().values().size());
  const auto said = [&](const auto& change) {
    owned_example e = good;
    change(e);
    const std::string text = message([&] { model.loss_and_gradient(std::vector{good.view(), e.view()}, gradient); });
    return text;
  };
  CHECK(said([](owned_example& e) { e.hidden.resize(12); }) == "head on pairs: got 12 numbers of hidden states, expected 15");
  CHECK(said([](owned_example& e) { e.log_p.clear(); }) == "head on pairs: got 0 log-probabilities, expected 12");
  CHECK(said([](owned_example& e) { e.positions[2] = 33; }) ==
        "head on pairs: position 33, expected less than max_length = 20");
  CHECK(said([](owned_example& e) { e.targets.resize(8); }) == "head on pairs: got 8 targets, expected 9");
  CHECK(said([](owned_example& e) { e.weights.resize(10); }) == "head on pairs: got 10 weights, expected 9");
  const auto nan = std::numeric_limits<float>::quiet_NaN();
  CHECK(said([&](owned_example& e) { e.weights[3] = nan; }) ==
        "head on pairs: weight nan for positions 3 and 1, expected at least 0");
  CHECK(said([&](owned_example& e) { e.weights[6] = -1; }).find("weight -1.000000 for positions 5 and 1") != std::string::npos);
  CHECK(said([&](owned_example& e) {
          e.weights[7] = 1;
          e.targets[7] = nan;
        }) == "head on pairs: target nan for positions 5 and 3, expected nats, at least 0");
  CHECK(said([&](owned_example& e) {
          e.weights[7] = 1;
          e.targets[7] = -0.1F;
        }).find("target -0.100000") != std::string::npos);
  CHECK(gradient == std::vector<float>(gradient.size()));
  CHECK(said([&](owned_example& e) {  // what has no weight may be anything
          e.weights[7] = 0;
          e.targets[7] = nan;
        })
            .empty());
  std::vector<float> little(3);
  CHECK(message([&] { model.loss_and_gradient(std::vector{good.view()}, little); }) ==
        "head on pairs: got 3 places for the gradient, expected " + std::to_string(gradient.size()));
}
