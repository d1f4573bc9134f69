#include "lacuna/train/update_rule.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "lacuna/core/errors.hpp"
#include "lacuna/core/random.hpp"
#include "lacuna/train/batch_builder.hpp"
#include "toy_softmax.hpp"

namespace train = lacuna::train;
using lacuna_test::counting_rows;
using lacuna_test::toy_softmax;

namespace {

train::batch_builder one_batch() {
  train::batch_builder batch;
  lacuna::random_stream random{1, lacuna::stream_use::training};
  counting_rows{}(0, batch, random);
  return batch;
}

/// Reports a gradient or a loss of the test's choosing.
struct odd_model {
  toy_softmax inner{5};
  double loss = 1;
  float gradient = 0;
  lacuna::nn::parameters& parameters() { return inner.parameters(); }
  double loss_and_gradient(const lacuna::nn::example_batch&, std::span<float> g) {
    g[3] += gradient;
    return loss;
  }
};

}  // namespace

TEST_CASE("the gradient that the step uses is that of the loss: the toy model against finite differences") {
  toy_softmax model{5};
  const auto batch = one_batch();
  std::vector<float> gradient(model.parameters().values().size());
  model.loss_and_gradient(batch.view(), gradient);
  std::vector<float> unused(gradient.size());
  const double h = 1.0 / 128;
  for (std::size_t i = 0; i < gradient.size(); ++i) {
    float& w = model.parameters().values()[i];
    const float kept = w;
    w = kept + static_cast<float>(h);
    const double up = model.loss_and_gradient(batch.view(), unused);
    w = kept - static_cast<float>(h);
    const double down = model.loss_and_gradient(batch.view(), unused);
    w = kept;
    // Third derivatives of a log-sum-exp are below 1, and there are at most 40 masks: h^2 / 6 * 40, and as much for rounding.
    CHECK(std::abs((up - down) / (2 * h) - static_cast<double>(gradient[i])) < 2 * h * h / 6 * 40);
  }
}

TEST_CASE("loss and norm are per unit of the batch, so a batch said twice is the same step") {
  toy_softmax a{5}, b{5};
  train::update_rule rule;
  auto sa = rule.init(a.parameters(), 0), sb = rule.init(b.parameters(), 0);
  const auto once = one_batch();
  auto twice = one_batch();
  twice.add(once.view(), once.units());
  const auto ia = rule.step(a, once, sa, 0.01);
  const auto ib = rule.step(b, twice, sb, 0.01);
  CHECK(ia.loss == doctest::Approx(ib.loss));
  CHECK(ia.gradient_norm == doctest::Approx(ib.gradient_norm));
  CHECK(sa.rows == 8);
  CHECK(sb.rows == 16);
  for (std::size_t i = 0; i < a.parameters().values().size(); ++i) {
    CHECK(a.parameters().values()[i] == doctest::Approx(b.parameters().values()[i]));
  }
}

TEST_CASE("a step over and over on one batch lowers its loss, and the average follows") {
  toy_softmax model{5};
  train::update_rule rule;
  auto state = rule.init(model.parameters(), 0);
  const auto batch = one_batch();
  const double first = rule.step(model, batch, state, 0.05).loss;
  double last = first;
  for (int i = 0; i < 50; ++i) last = rule.step(model, batch, state, 0.05).loss;
  CHECK(last < 0.8 * first);
  CHECK(state.step == 51);
  CHECK(state.average.updates == 51);
  CHECK(state.loss.value() < first);
  CHECK(state.loss.value() > last);
}

TEST_CASE("a loss or gradient that is not finite changes nothing") {
  const auto batch = one_batch();
  const auto refused = [&](double loss, float gradient) {
    odd_model model{toy_softmax{5}, loss, gradient};
    const std::vector<float> before(model.parameters().values().begin(), model.parameters().values().end());
    train::update_rule rule;
    auto state = rule.init(model.parameters(), 0);
    CHECK_THROWS_WITH_AS(rule.step(model, batch, state, 0.1), doctest::Contains("expected finite"), lacuna::model_error);
    CHECK(std::vector<float>(model.parameters().values().begin(), model.parameters().values().end()) == before);
    CHECK(state.step == 0);
    CHECK(state.optimizer.updates == 0);
    CHECK(state.optimizer.first[3] == 0);
  };
  refused(std::numeric_limits<double>::quiet_NaN(), 0);
  refused(std::numeric_limits<double>::infinity(), 0);
  refused(1, std::numeric_limits<float>::quiet_NaN());
  refused(1, -std::numeric_limits<float>::infinity());
}
