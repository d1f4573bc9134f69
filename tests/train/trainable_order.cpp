#include "lacuna/train/trainable_order.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <filesystem>
#include <map>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "lacuna/nn/initial.hpp"
#include "lacuna/train/trainer.hpp"

namespace {

using namespace lacuna;

nn::transformer_config small() {
  nn::transformer_config c;
  c.vocabulary = 6;
  c.max_length = 8;
  c.width = 16;
  c.depth = 1;
  c.heads = 2;
  c.feed_forward = 32;
  c.positions = nn::positions::learned;
  c.mask_token = 5;
  return c;
}

/// The three networks, and rows to train them on.
struct set_up {
  nn::transformer trunk{small(), 1};
  nn::order_head head{{16, 8, 0.2F}, 2};
  nn::transformer scores{train::score_config(small(), 8, 1, 2), 3};
  train::order_batch batch;

  explicit set_up(std::size_t rows = 3) {
    constexpr std::size_t length = 6;
    nn::fill_normal(head.parameters().values(), 0.3, 4, 0);  // else the head says the same of all
    random_stream random{7, stream_use::training};
    for (std::size_t r = 0; r < rows; ++r) {
      std::vector<token> x;
      for (std::size_t i = 0; i < length; ++i) x.push_back(static_cast<token>(random.below(5)));
      std::vector<std::size_t> masked(length - 1);
      std::iota(masked.begin(), masked.end(), std::size_t{1});
      batch.add(x, masked, 3, random);
    }
  }
};

static_assert(train::training_batch<train::order_batch>);
static_assert(train::trainable_model<train::trainable_order<>, std::span<const train::order_example>>);

/// Slope of the loss along a random direction in the parameters whose names `chosen` likes, and what the gradient says of it.
template <class Chosen>
std::pair<double, double> slopes(train::trainable_order<>& model, const train::order_batch& batch, const Chosen& chosen) {
  std::vector<float> gradient(model.parameters().values().size(), 0.0F), direction(gradient.size(), 0.0F);
  model.loss_and_gradient(batch.view(), gradient);
  std::vector<float> random(gradient.size());
  nn::fill_normal(random, 1, 5, 1);
  for (const nn::parameter& p : model.parameters().list())
    if (chosen(p.name))
      std::copy_n(random.begin() + static_cast<std::ptrdiff_t>(p.offset), p.size,
                  direction.begin() + static_cast<std::ptrdiff_t>(p.offset));
  const std::vector<float> at(model.parameters().values().begin(), model.parameters().values().end());
  const auto loss_at = [&](double h) {
    for (std::size_t i = 0; i < at.size(); ++i)
      model.parameters().values()[i] = static_cast<float>(static_cast<double>(at[i]) + h * static_cast<double>(direction[i]));
    return model.loss(batch.view());
  };
  constexpr double h = 2e-3;
  const double by_differences = (loss_at(h) - loss_at(-h)) / (2 * h);
  std::copy(at.begin(), at.end(), model.parameters().values().begin());
  return {by_differences, std::inner_product(gradient.begin(), gradient.end(), direction.begin(), 0.0)};
}

/// Rows of which the first masked token tells all others.
struct copies {
  using batch = train::order_batch;
  void operator()(std::size_t, train::order_batch& out, random_stream& random) const {
    for (std::size_t r = 0; r < 8; ++r) {
      const std::vector<token> x(6, static_cast<token>(random.below(5)));
      const std::vector<std::size_t> all{0, 1, 2, 3, 4, 5};
      out.add(x, all, 3, random);
    }
  }
};

}  // namespace

TEST_CASE("gradients of head and trunk are those of the loss by differences") {
  set_up s;
  train::trainable_order<> model{s.trunk, s.head, s.scores, {.paths = 3, .beta = 0.6, .trunk = train::trunk_training::along}};
  for (const std::string part : {"order.", "trunk."}) {
    const auto [by_differences, says] = slopes(model, s.batch, [&](const std::string& name) { return name.starts_with(part); });
    CAPTURE(part);
    CHECK(std::abs(by_differences) > 0.05);
    CHECK(std::abs(by_differences - says) < 0.02 * std::abs(by_differences));
  }
}

TEST_CASE("the scores' gradient is that of likelihood::gradient_of, carried through their network") {
  // The choice of paths makes the loss no function to take differences of; its expectation is checked in likelihood/. Here: a
  // step along the gradient of the scores' network changes each score as the gradient of the scores says.
  set_up s(1);
  train::trainable_order<> model{s.trunk, s.head, s.scores, {.paths = 4}};
  std::vector<float> gradient(model.parameters().values().size(), 0.0F);
  model.loss_and_gradient(s.batch.view(), gradient);
  double norm = 0;
  for (const nn::parameter& p : model.parameters().list())
    if (p.name.starts_with("scores."))
      for (std::size_t i = 0; i < p.size; ++i) norm += static_cast<double>(gradient[p.offset + i]) * gradient[p.offset + i];
  CHECK(norm > 1e-8);
  // position 0 is given: its score moves nothing, so a network that only changed there would have no gradient
  nn::transformer& net = s.scores;
  const std::vector<token> x = s.batch.view()[0].tokens;
  const std::vector<std::size_t> offsets{0, x.size()};
  const std::vector<token> targets(x.size(), 5);
  std::vector<float> weights(x.size(), 0.0F), of_first(net.parameters().values().size(), 0.0F);
  weights[0] = 1;
  const double value = net.loss_and_gradient({x, targets, weights, offsets, nn::position_loss::logit}, of_first);
  std::vector<double> logits;
  net(ragged_batch{x, offsets}, std::vector<std::size_t>{0},
      [&](std::size_t, std::span<const float> row) { logits.assign(row.begin(), row.end()); });
  CHECK(std::abs(value - logits[5]) < 1e-5);
}

TEST_CASE("a frozen trunk is neither among the parameters nor changed") {
  set_up s;
  const std::vector<float> before(s.trunk.parameters().values().begin(), s.trunk.parameters().values().end());
  train::trainable_order<> model{s.trunk, s.head, s.scores};
  for (const nn::parameter& p : model.parameters().list()) CHECK_FALSE(p.name.starts_with("trunk."));
  CHECK(model.parameters().values().size() == s.head.parameters().values().size() + s.scores.parameters().values().size());
  std::vector<float> gradient(model.parameters().values().size(), 0.0F);
  model.loss_and_gradient(s.batch.view(), gradient);
  CHECK(std::equal(before.begin(), before.end(), s.trunk.parameters().values().begin()));
}

TEST_CASE("what is told of a step adds up") {
  set_up s;
  train::trainable_order<> model{s.trunk, s.head, s.scores, {.paths = 4}};
  const double loss = model.loss(s.batch.view());
  const train::order_report told = model.last();
  CHECK(std::abs(loss / 3 + told.reconstruction - told.divergence) < 1e-9);
  CHECK(std::abs(told.elbo - (told.reconstruction - told.divergence)) < 1e-9);
  CHECK(told.steps >= 1);
  CHECK(told.steps <= 3);
  CHECK(told.first > 0);
  CHECK(told.first <= 1);
  CHECK(told.advantage_variance > 0);
}

TEST_CASE("the loss does not depend on how many rows go into a call, nor on threads but for rounding") {
  set_up s;
  train::trainable_order<> all{s.trunk, s.head, s.scores, {.paths = 4, .trunk = train::trunk_training::along}};
  train::trainable_order<> few{
      s.trunk, s.head, s.scores, {.paths = 4, .trunk = train::trunk_training::along, .rows_per_call = 5}};
  std::vector<float> one(all.parameters().values().size(), 0.0F), other(one), third(one);
  const double loss = all.loss_and_gradient(s.batch.view(), one);
  CHECK(few.loss_and_gradient(s.batch.view(), other) == loss);
  s.trunk.set_threads(2);
  s.scores.set_threads(2);
  CHECK(all.loss_and_gradient(s.batch.view(), third) == loss);
  for (std::size_t i = 0; i < one.size(); ++i) {
    CHECK(std::abs(one[i] - other[i]) < 1e-4F);
    CHECK(std::abs(one[i] - third[i]) < 1e-4F);
  }
}

TEST_CASE("training raises the bound, and a run that was interrupted ends with the weights of one that was not") {
  const auto train_for = [](std::size_t steps, const std::filesystem::path& checkpoint, std::size_t interrupted) {
    set_up s;
    train::trainable_order<> model{s.trunk, s.head, s.scores, {.paths = 4, .trunk = train::trunk_training::along}};
    train::options<> options;
    options.steps = steps;
    options.seed = 3;
    options.schedule.peak = 5e-3;
    options.checkpoint = checkpoint;
    std::vector<double> elbo;
    const auto state = train::run(model, copies{}, options, [&](const train::step_report& r, const train::training_state&) {
      elbo.push_back(model.last().elbo);
      return r.step != interrupted;
    });
    return std::pair{std::vector<float>(model.parameters().values().begin(), model.parameters().values().end()), elbo};
  };
  const auto whole = train_for(60, {}, 0);
  const std::vector<double>& elbo = whole.second;
  const auto mean = [&](std::size_t from) {
    return std::accumulate(elbo.begin() + static_cast<std::ptrdiff_t>(from),
                           elbo.begin() + static_cast<std::ptrdiff_t>(from) + 10, 0.0) /
           10;
  };
  CHECK(mean(50) > mean(0) + 3);  // from about log(1/6) a token towards log(1/5) for all of them
  const std::filesystem::path path = std::filesystem::temp_directory_path() / "lacuna_order_run.safetensors";
  std::filesystem::remove(path);
  train_for(60, path, 17);
  const auto resumed = train_for(60, path, 0).first;
  std::filesystem::remove(path);
  CHECK(resumed == whole.first);
}

TEST_CASE("what does not fit is refused") {
  set_up s;
  using model = train::trainable_order<>;
  CHECK_THROWS_WITH_AS((model{s.trunk, s.head, s.scores, {.paths = 1}}),
                       "trainable_order: paths = 1, expected at least 2: a path's baseline is the mean of the others",
                       invalid_argument);
  CHECK_THROWS_AS((model{s.trunk, s.head, s.scores, {.beta = -1}}), invalid_argument);
  CHECK_THROWS_AS((model{s.trunk, s.head, s.scores, {.posterior = {0}}}), invalid_argument);
  nn::order_head narrow{{12, 8}, 1};
  CHECK_THROWS_WITH_AS((model{s.trunk, narrow, s.scores}),
                       "trainable_order: a head on 12 numbers of hidden states, the trunk has 16", invalid_argument);
  nn::transformer_config other = train::score_config(small(), 8, 1, 2);
  other.vocabulary = 9;
  nn::transformer foreign{other, 1};
  CHECK_THROWS_AS((model{s.trunk, s.head, foreign}), invalid_argument);
  random_stream random{1, stream_use::training};
  train::order_batch b;
  const std::vector<token> x{1, 2, 3};
  CHECK_THROWS_AS(b.add(x, std::vector<std::size_t>{}, 2, random), invalid_argument);
  CHECK_THROWS_AS(b.add(x, std::vector<std::size_t>{3}, 2, random), invalid_argument);
  CHECK_THROWS_AS(b.add(x, std::vector<std::size_t>{1, 1}, 2, random), invalid_argument);
  CHECK_THROWS_AS(b.add(x, std::vector<std::size_t>{1}, 0, random), invalid_argument);
  b.add(x, std::vector<std::size_t>{1}, 2, random);
  CHECK_THROWS_AS(b.add(std::vector<token>{1, 2}, std::vector<std::size_t>{1}, 2, random), invalid_argument);
}
