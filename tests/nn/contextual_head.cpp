#include "lacuna/nn/contextual_head.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "lacuna/nn/reference.hpp"
#include "pair_contexts.hpp"
#include "tests/allocation_count.hpp"

namespace {

using namespace lacuna;
using namespace pair_contexts;

constexpr std::size_t max_length = 20;

nn::contextual_config without_relation() {
  nn::contextual_config c;
  c.hidden = 5;
  c.rank = 3;
  c.blocks.vocabulary = 4;
  c.blocks.max_length = max_length;
  c.blocks.width = 8;
  c.blocks.depth = 2;
  c.blocks.heads = 2;
  c.blocks.feed_forward = 12;
  return c;
}

/// Three classes of pairs of positions, and the two directions of a pair in different ones.
nn::contextual_config with_relation() {
  nn::contextual_config c = without_relation();
  nn::position_relation relation;
  relation.count = 3;
  for (std::uint32_t q = 0; q < max_length; ++q)
    for (std::uint32_t k = 0; k < max_length; ++k) relation.ids.push_back(q / 4 == k / 4 ? 0U : (q < k ? 1U : 2U));
  relation.initial = {0.5F, -0.25F, 0.0F, 1.0F, 0.0F, 0.75F};
  c.blocks.relation = relation;
  return c;
}

struct named {
  std::string name;
  nn::contextual_config config;
};
std::vector<named> all_configs() {
  std::vector<named> out{{"no relation", without_relation()}, {"relation", with_relation()}};
  nn::contextual_config c = with_relation();
  c.blocks.depth = 3;
  c.blocks.distinct_blocks = 1;
  c.blocks.norm = nn::norm_kind::rms;
  c.blocks.activation = nn::activation::swiglu;
  out.push_back({"shared blocks, RMS norm, SwiGLU", c});
  c = with_relation();
  c.rank = 18;
  c.blocks.width = 18;
  c.blocks.depth = 1;
  out.push_back({"more than a packet", c});
  return out;
}

nn::contextual_head stirred(const nn::contextual_config& c) {
  nn::contextual_head head{c, 3};
  stir(head, 78);
  return head;
}

owned_example example_for(const nn::contextual_config& c, std::size_t n, std::uint64_t seed) {
  return random_example(n, c.hidden, c.blocks.vocabulary, seed);
}

/// The formulas in plain loops in double.
std::vector<double> plain(const nn::contextual_config& c, const nn::parameters& places, const std::vector<double>& x,
                          const owned_example& e) {
  namespace ref = nn::reference;
  const std::size_t n = e.size();
  const std::size_t w = c.blocks.width;
  const auto of = [&](const std::string& name) -> const double* {
    for (const nn::parameter& p : places.list())
      if (p.name == "pairs." + name) return x.data() + p.offset;
    return nullptr;
  };
  const auto epsilon = static_cast<double>(c.blocks.norm_epsilon);
  nn::transformer_config blocks = c.blocks;  // seen from the masked positions
  blocks.max_length = n;
  if (blocks.relation) {
    blocks.relation->ids.clear();
    for (const std::size_t q : e.positions)
      for (const std::size_t k : e.positions) blocks.relation->ids.push_back(c.blocks.relation->ids[q * max_length + k]);
  }
  std::vector<double> inputs;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t d = 0; d < c.hidden; ++d) inputs.push_back(static_cast<double>(e.hidden[i * c.hidden + d]));
    for (std::size_t v = 0; v < blocks.vocabulary; ++v)
      inputs.push_back(std::max(static_cast<double>(e.log_p[i * blocks.vocabulary + v]), -12.0) / 4);
    inputs.push_back(static_cast<double>(e.entropies[i]));
    inputs.push_back(std::log(std::max(static_cast<double>(e.entropies[i]), 1e-5)) / 4);
  }
  std::vector<double> y = ref::linear(n, c.inputs(), w, inputs, of("in.weight"), of("in.bias"));
  for (std::size_t l = 0; l < blocks.depth; ++l) {
    const std::string block = "block." + std::to_string(l % blocks.own_blocks()) + ".";
    const auto add = [&](const std::vector<double>& branch) {
      for (std::size_t i = 0; i < y.size(); ++i) y[i] += branch[i];
    };
    std::vector<double> h = ref::norm(n, w, y, of(block + "norm1.weight"), of(block + "norm1.bias"), epsilon);
    const std::vector<double> qkv =
        ref::linear(n, w, 3 * w, h, of(block + "attention.qkv.weight"), of(block + "attention.qkv.bias"));
    std::vector<double> probabilities;
    const double* relation = blocks.relation ? of("attention.relation") + l * blocks.heads * blocks.relation->count : nullptr;
    add(ref::linear(n, w, w, ref::attention(blocks, n, qkv, relation, probabilities), of(block + "attention.out.weight"),
                    of(block + "attention.out.bias")));
    h = ref::norm(n, w, y, of(block + "norm2.weight"), of(block + "norm2.bias"), epsilon);
    h = ref::linear(n, w, blocks.up_width(), h, of(block + "feed_forward.up.weight"), of(block + "feed_forward.up.bias"));
    h = ref::activate(blocks.activation, n, blocks.feed_forward, h);
    add(ref::linear(n, blocks.feed_forward, w, h, of(block + "feed_forward.down.weight"),
                    of(block + "feed_forward.down.bias")));
  }
  y = ref::norm(n, w, y, of("norm.weight"), of("norm.bias"), epsilon);
  const std::size_t r = c.rank;
  const std::size_t outputs = 2 * r + c.relations();
  const std::vector<double> projected = ref::linear(n, w, outputs, y, of("out.weight"), of("out.bias"));
  const auto t = [&](std::size_t i, std::size_t j) {
    const std::size_t kind = blocks.relation ? blocks.relation->ids[i * n + j] : 0;
    double total = projected[i * outputs + 2 * r + kind] + of("shift")[kind];
    for (std::size_t k = 0; k < r; ++k)
      total += of("scale")[kind * r + k] * projected[i * outputs + k] * projected[j * outputs + r + k];
    return total;
  };
  std::vector<double> out(n * n, 0.0);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      if (i != j)
        out[i * n + j] =
            static_cast<double>(std::min(e.entropies[i], e.entropies[j])) / (1 + std::exp(-(t(i, j) + t(j, i)) / 2));
  return out;
}
auto plain_of(const nn::contextual_head& head) {
  return [&](const std::vector<double>& x, const owned_example& e) { return plain(head.config(), head.parameters(), x, e); };
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

static_assert(nn::pair_head<nn::contextual_head>);

TEST_CASE("a contextual head's parameters can be counted without being made") {
  for (const named& one : all_configs()) {
    CAPTURE(one.name);
    const nn::contextual_head head{one.config, 1};
    CHECK(nn::parameter_count(one.config) == static_cast<double>(head.parameters().values().size()));
  }
  nn::contextual_config huge = without_relation();
  huge.blocks.width = std::size_t{1} << 40U;
  CHECK(nn::parameter_count(huge) > 1e24);
}

TEST_CASE("the contextual head computes its formulas: against plain loops in double") {
  for (const named& one : all_configs())
    for (const std::size_t n : {2U, 5U, 10U}) {
      CAPTURE(one.name);
      const nn::contextual_head head = stirred(one.config);
      const owned_example e = example_for(one.config, n, n);
      const std::vector<double> x(head.parameters().values().begin(), head.parameters().values().end());
      // Some fifteen layers one after the other, each off by the rounding of its sums, and norms enlarge.
      CHECK(comparing::difference(estimates(head, e), plain_of(head)(x, e)) < 20 * comparing::rounding(one.config.inputs()));
    }
}

TEST_CASE("contextual estimates are symmetric, within [0, min(H_i, H_j)], and exactly 0 where an entropy is") {
  for (const named& one : all_configs()) {
    CAPTURE(one.name);
    nn::contextual_head head = stirred(one.config);
    owned_example e = example_for(one.config, 7, 2);
    e.entropies[3] = 0;
    for (const float shift : {-3.0F, 40.0F}) {  // as it is, and with all that it can say
      for (float& b : head.parameters().of(head.parameters().list().back())) b = shift;
      const std::vector<double> out = estimates(head, e);
      for (std::size_t a = 0; a < 7; ++a)
        for (std::size_t b = 0; b < 7; ++b) {
          const double cap = static_cast<double>(std::min(e.entropies[a], e.entropies[b]));
          CHECK(out[a * 7 + b] == out[b * 7 + a]);
          if (a == b || a == 3 || b == 3)
            CHECK(out[a * 7 + b] == 0);
          else
            CHECK((out[a * 7 + b] > 0 && out[a * 7 + b] <= cap));
        }
      if (shift > 0) CHECK(out[1] == doctest::Approx(static_cast<double>(std::min(e.entropies[0], e.entropies[1]))));
    }
  }
}

TEST_CASE("a choice of positions gives the submatrix of all, whatever the scratch was used for before") {
  for (const named& one : all_configs()) {
    CAPTURE(one.name);
    const nn::contextual_head head = stirred(one.config);
    const owned_example e = example_for(one.config, 7, 2);
    const std::vector<double> all = estimates(head, e);
    nn::contextual_head::scratch scratch;
    for (const std::vector<std::size_t>& chosen : {std::vector<std::size_t>{1, 4}, {5, 0, 2}, {3}, {}, everything(7)}) {
      const std::vector<double> some = estimates(head, e.context(), chosen, scratch);
      for (std::size_t a = 0; a < chosen.size(); ++a)
        for (std::size_t b = 0; b < chosen.size(); ++b) CHECK(some[a * chosen.size() + b] == all[chosen[a] * 7 + chosen[b]]);
      // larger, smaller, a gradient
      for (const std::size_t n : {10U, 2U}) {
        const owned_example other = example_for(one.config, n, 5);
        estimates(head, other.context(), everything(n), scratch);
        std::vector<float> gradient(head.parameters().values().size());
        head.loss_and_gradient(other.view(), {}, scratch, gradient);
      }
    }
    const nn::contextual_head::scratch copy = scratch;
    nn::contextual_head::scratch of_copy = copy;
    CHECK(estimates(head, e.context(), everything(7), of_copy) == all);
  }
}

TEST_CASE("what two positions share hangs on the others, and permuted positions give permuted estimates") {
  const nn::contextual_head head = stirred(with_relation());
  owned_example e = example_for(head.config(), 5, 2);
  const std::vector<std::size_t> order{3, 0, 4, 2, 1};
  const std::vector<double> before = estimates(head, e);
  const std::vector<double> after = estimates(head, permuted(e, order));
  for (std::size_t a = 0; a < 5; ++a)
    for (std::size_t b = 0; b < 5; ++b)
      CHECK(after[a * 5 + b] == doctest::Approx(before[order[a] * 5 + order[b]]).epsilon(1e-4));
  e.hidden[4 * 5] += 1;  // of the last
  CHECK(estimates(head, e)[1] != before[1]);
}

TEST_CASE("the contextual gradient is that of the loss, tensor by tensor") {
  for (const named& one : all_configs()) {
    CAPTURE(one.name);
    nn::contextual_head head = stirred(one.config);
    owned_example e = example_for(one.config, 3, 4);
    e.entropies[1] /= 100;
    // small numbers in the logarithm, with a floor that keeps its slope within reach of floats
    const auto found = gradient_error(head, plain_of(head), e, {1, 0.1, 1e-2});
    CAPTURE(found.second);
    // As above, there and back; the gradient of a relation is what is left of attention gradients that cancel.
    CHECK(found.first < 100 * comparing::rounding(one.config.inputs()));
  }
}

TEST_CASE(
    "pairs of weight 0 do not matter to the contextual head; where an entropy is 0 there is a loss but nothing to learn") {
  const nn::contextual_head head = stirred(with_relation());
  owned_example e = example_for(head.config(), 5, 3);
  nn::contextual_head::scratch scratch;
  std::vector<float> gradient(head.parameters().values().size()), again(gradient.size());
  const double loss = head.loss_and_gradient(e.view(), {}, scratch, gradient);
  CHECK(loss > 0);
  for (std::size_t i = 0; i < 25; ++i)
    if (e.weights[i] == 0) e.targets[i] = std::numeric_limits<float>::quiet_NaN();
  CHECK(head.loss_and_gradient(e.view(), {}, scratch, again) == loss);
  CHECK(again == gradient);

  owned_example sure = example_for(head.config(), 2, 3);
  sure.entropies[0] = 0;
  sure.weights.assign(4, 1.0F);
  sure.targets.assign(4, 0.5F);
  CHECK(head.loss_and_gradient(sure.view(), {}, scratch, again) == doctest::Approx(0.25));
  CHECK(again == gradient);
  const owned_example one = example_for(head.config(), 1, 3);
  CHECK(head.loss_and_gradient(one.view(), {}, scratch, again) == 0);
  CHECK(again == gradient);
}

TEST_CASE("estimates of no more positions than were reserved take nothing from the heap, nor do gradients the second time") {
  const nn::contextual_head head = stirred(with_relation());
  const owned_example large = example_for(head.config(), 10, 3), small = example_for(head.config(), 3, 3);
  const std::vector<std::size_t> chosen = everything(10);
  std::vector<double> out(100);
  std::vector<float> gradient(head.parameters().values().size());
  nn::contextual_head::scratch scratch;
  head.reserve(scratch, 10);
  const auto use = [&](const owned_example& e) {
    head(e.context(), std::span{chosen}.first(e.size()), scratch, std::span{out}.first(e.size() * e.size()));
  };
  const std::size_t before = tests::allocations();
  use(small);
  use(large);
  CHECK(tests::allocations() == before);
  head.loss_and_gradient(large.view(), {}, scratch, gradient);
  const std::size_t after = tests::allocations();
  CHECK(after > before);  // the counter works
  head.loss_and_gradient(small.view(), {}, scratch, gradient);
  head.loss_and_gradient(large.view(), {}, scratch, gradient);
  use(large);
  CHECK(tests::allocations() == after);
}

TEST_CASE("hidden states that are not numbers give estimates that are none") {
  const nn::contextual_head head = stirred(with_relation());
  owned_example e = example_for(head.config(), 3, 3);
  e.hidden[6] = std::numeric_limits<float>::quiet_NaN();
  CHECK(std::isnan(estimates(head, e)[1]));
}

TEST_CASE("configurations that make no head are refused by the name of what is wrong") {
  const auto said = [](const auto& change) {
    return message([&] {
      nn::contextual_config c = without_relation();
      change(c);
      nn::contextual_head{c, 1};
    });
  };
  CHECK(said([](nn::contextual_config&) {}).empty());
  CHECK(said([](auto& c) { c.hidden = 0; }).find("hidden is 0") != std::string::npos);
  CHECK(said([](auto& c) { c.rank = 0; }).find("rank is 0") != std::string::npos);
  CHECK(said([](auto& c) { c.blocks.depth = 0; }).find("depth is 0, expected at least 1") != std::string::npos);
  CHECK(said([](auto& c) { c.blocks.positions = nn::positions::learned; }).find("expected a relation") != std::string::npos);
  CHECK(said([](auto& c) {
          c.blocks.features = {{"f", std::vector<std::uint32_t>(max_length), 1}};
        }).find("expected a relation") != std::string::npos);
}

TEST_CASE("contexts of another shape than the head's are refused with what was got and expected") {
  const nn::contextual_head head = stirred(without_relation());
  const owned_example good = example_for(head.config(), 3, 3);
  const auto said = [&](const auto& change) {
    owned_example e = good;
    change(e);
    const std::string when_estimating = message([&] { estimates(head, e); });
    std::vector<float> gradient(head.parameters().values().size());
    nn::contextual_head::scratch scratch;
    CHECK(message([&] { head.loss_and_gradient(e.view(), {}, scratch, gradient); }) == when_estimating);
    return when_estimating;
  };
  CHECK(said([](owned_example&) {}).empty());
  CHECK(said([](owned_example& e) { e.hidden.resize(18); }) == "head on pairs: got 18 numbers of hidden states, expected 15");
  CHECK(said([](owned_example& e) { e.log_p.resize(15); }) == "head on pairs: got 15 log-probabilities, expected 12");
  CHECK(said([](owned_example& e) { e.entropies.clear(); }) == "head on pairs: got 0 entropies, expected 3");
  CHECK(said([](owned_example& e) { e.positions[1] = 20; }) ==
        "head on pairs: position 20, expected less than max_length = 20");
  CHECK(message([&] {
          estimates(head, good.context(), {0, 3});
        }) == "head on pairs: position number 3 was chosen, expected less than 3");
}
