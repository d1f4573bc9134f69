#include "lacuna/nn/training_pass.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "comparing.hpp"
#include "lacuna/nn/reference_transformer.hpp"
#include "lacuna/nn/transformer.hpp"
#include "small_networks.hpp"

namespace {

using namespace lacuna;

/// Parameters away from their regular start, so that norms, biases and relations matter too.
nn::parameters shaken(const nn::transformer_config& c, std::uint64_t seed) {
  nn::parameters p;
  const nn::transformer_layout layout = nn::transformer_layout::add_to(p, c);
  nn::initialise(p, layout, c, seed);
  std::vector<float> noise(p.values().size());
  nn::fill_normal(noise, 0.1, seed, 1000);
  for (std::size_t i = 0; i < noise.size(); ++i) p.values()[i] += noise[i];
  return p;
}

}  // namespace

TEST_CASE("loss and gradient of a step equal those of the plain loops in double, whatever the options") {
  for (const small_networks::named_config& small : small_networks::all()) {
    CAPTURE(small.name);
    const nn::transformer_config& config = small.config;
    const nn::parameters p = shaken(config, 3);
    const small_networks::owned_batch batch = small_networks::random_batch(config, {21, 1, 8, 17, 16}, 5);
    std::vector<float> gradient(p.values().size());
    nn::training_pass pass{config};
    const double loss = pass(p, batch.view(), gradient);

    nn::reference::transformer<double> reference{config, p.values()};
    std::vector<double> expected(gradient.size());
    const double expected_loss = reference.loss(batch.view(), expected);
    CHECK(loss == doctest::Approx(expected_loss).epsilon(1e-5));
    CHECK(comparing::difference(gradient, expected) < 1e-5);
  }
}

TEST_CASE("a step repeats bit for bit, and other numbers of threads differ by rounding only") {
  for (const small_networks::named_config& small : small_networks::all()) {
    CAPTURE(small.name);
    const nn::parameters p = shaken(small.config, 3);
    const small_networks::owned_batch batch = small_networks::random_batch(small.config, {21, 1, 8, 17, 16, 21, 21}, 5);
    std::vector<float> alone(p.values().size());
    nn::training_pass pass{small.config};
    const double loss = pass(p, batch.view(), alone);
    for (const std::size_t threads : {1U, 2U, 3U, 9U}) {
      pass.set_threads(threads);
      std::vector<float> first(alone.size()), second(alone.size());
      CHECK(pass(p, batch.view(), first) == doctest::Approx(loss).epsilon(1e-6));
      CHECK(comparing::difference(first, alone) < 1e-5);
      pass(p, batch.view(), second);
      CHECK(first == second);
      if (threads == 1) CHECK(first == alone);
    }
  }
}

TEST_CASE("rows that cannot be dealt out evenly are shared by the threads") {
  for (const small_networks::named_config& small : small_networks::all())
    for (const std::vector<std::size_t>& lengths : {std::vector<std::size_t>{21}, {21, 2}, {1, 20, 3}}) {
      CAPTURE(small.name);
      CAPTURE(lengths.size());
      const nn::parameters p = shaken(small.config, 3);
      const small_networks::owned_batch batch = small_networks::random_batch(small.config, lengths, 5);
      nn::training_pass pass{small.config};
      std::vector<float> alone(p.values().size());
      const double loss = pass(p, batch.view(), alone);
      for (const std::size_t threads : {2U, 3U}) {
        pass.set_threads(threads);
        std::vector<float> together(alone.size()), again(alone.size());
        CHECK(pass(p, batch.view(), together) == doctest::Approx(loss).epsilon(1e-6));
        CHECK(comparing::difference(together, alone) < 1e-5);
        pass(p, batch.view(), again);
        CHECK(together == again);
      }
    }
}

TEST_CASE("gradients are added to what is there, and grow with the weights") {
  const nn::transformer_config config = small_networks::with_relation();
  const nn::parameters p = shaken(config, 3);
  small_networks::owned_batch batch = small_networks::random_batch(config, {21, 9}, 5);
  nn::training_pass pass{config};
  std::vector<float> once(p.values().size()), twice(once.size(), 1.0F);
  const double loss = pass(p, batch.view(), once);
  for (float& w : batch.weights) w *= -2.0F;
  CHECK(pass(p, batch.view(), twice) == doctest::Approx(-2.0 * loss).epsilon(1e-6));
  std::vector<float> expected(once.size());
  for (std::size_t i = 0; i < once.size(); ++i) expected[i] = 1.0F - 2.0F * once[i];
  CHECK(comparing::difference(twice, expected) < 1e-5);
}

TEST_CASE("positions without a weight need no target, and a batch without weights changes nothing") {
  const nn::transformer_config config = small_networks::plain();
  const nn::parameters p = shaken(config, 3);
  small_networks::owned_batch batch = small_networks::random_batch(config, {21, 9}, 5);
  nn::training_pass pass{config};
  std::vector<float> gradient(p.values().size()), again(gradient.size());
  const double loss = pass(p, batch.view(), gradient);
  for (std::size_t n = 0; n < batch.targets.size(); ++n)
    if (batch.weights[n] == 0.0F) batch.targets[n] = -1;
  CHECK(pass(p, batch.view(), again) == loss);
  CHECK(gradient == again);
  std::fill(batch.weights.begin(), batch.weights.end(), 0.0F);
  CHECK(pass(p, batch.view(), again) == 0.0);
  CHECK(gradient == again);
}

TEST_CASE("rows are grouped as memory allows without a change in the sum") {
  // 60 rows of 21 are more than one group; each row alone is one.
  const nn::transformer_config config = small_networks::with_relation();
  const nn::parameters p = shaken(config, 3);
  const small_networks::owned_batch batch = small_networks::random_batch(config, std::vector<std::size_t>(60, 21), 5);
  nn::training_pass pass{config};
  std::vector<float> together(p.values().size()), apart(together.size());
  const double loss = pass(p, batch.view(), together);
  double total = 0.0;
  const std::vector<std::size_t> offsets{0, 21};
  for (std::size_t b = 0; b < 60; ++b) {
    const nn::example_batch all = batch.view();
    total += pass(
        p, {all.inputs.subspan(21 * b, 21), all.targets.subspan(21 * b, 21), all.weights.subspan(21 * b, 21), offsets}, apart);
  }
  CHECK(total == doctest::Approx(loss).epsilon(1e-6));
  CHECK(comparing::difference(together, apart) < 1e-5);
}

TEST_CASE("a batch that does not fit is refused with got and expected") {
  const nn::transformer_config config = small_networks::plain();
  const nn::parameters p = shaken(config, 3);
  nn::training_pass pass{config};
  std::vector<float> gradient(p.values().size());
  const auto message = [&](const auto& change) -> std::string {
    small_networks::owned_batch batch = small_networks::random_batch(config, {21, 9}, 5);
    batch.weights[4] = 1.0F;
    change(batch);
    try {
      pass(p, batch.view(), gradient);
    } catch (const invalid_argument& e) {
      return e.what();
    }
    return "";
  };
  using batch = small_networks::owned_batch;
  CHECK(message([](batch&) {}).empty());
  CHECK(message([](batch& b) { b.inputs[4] = 7; }) == "training_pass: input 4 is 7, expected 0..6");
  CHECK(message([](batch& b) { b.targets[4] = -1; }) == "training_pass: target 4 is -1, expected 0..6");
  CHECK(message([](batch& b) { b.weights[4] = std::numeric_limits<float>::quiet_NaN(); }) ==
        "training_pass: weight 4 is nan, expected a finite number");
  CHECK(message([](batch& b) { b.weights.pop_back(); }) == "training_pass: got 29 weights, expected 30");
  CHECK(message([](batch& b) { b.targets.pop_back(); }) == "training_pass: got 29 targets, expected 30");
  CHECK(message([](batch& b) { b.offsets = {}; }) == "training_pass: got no offsets, expected B + 1");
  CHECK(message([](batch& b) { b.offsets = {0, 29}; }) == "training_pass: got 29 as last offset, expected 30");
  CHECK(message([](batch& b) {
          b.offsets = {0, 30};
        }) == "training_pass: row 0 runs from 0 to 30, expected a length of at most 21");
  gradient.pop_back();
  CHECK(message([](batch&) {}) == "training_pass: got " + std::to_string(gradient.size()) + " gradient entries, expected " +
                                      std::to_string(gradient.size() + 1));
  CHECK_THROWS_AS(pass.set_threads(0), invalid_argument);
}

TEST_CASE("a position's logit as the loss, and a gradient of hidden states from behind the network") {
  const nn::transformer_config config = small_networks::plain();
  nn::transformer net{config, 3};
  small_networks::owned_batch batch = small_networks::random_batch(config, {7, 5}, 2);
  std::vector<float> behind(batch.inputs.size() * config.width);
  nn::fill_normal(behind, 0.5, 9, 1);
  const nn::example_batch examples{batch.inputs, batch.targets, batch.weights, batch.offsets, nn::position_loss::logit, behind};
  /// weight x logit of the target, and the hidden states' product with what is behind: what the gradient is of.
  const auto value = [&] {
    std::vector<std::size_t> all(batch.inputs.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    double sum = 0;
    net.with_hidden(
        ragged_batch{batch.inputs, batch.offsets}, all,
        [&](std::size_t k, std::span<const float> row) {
          sum += static_cast<double>(batch.weights[k]) * static_cast<double>(row[static_cast<std::size_t>(batch.targets[k])]);
        },
        [&](std::size_t k, std::span<const float> h) {
          for (std::size_t i = 0; i < h.size(); ++i)
            sum += static_cast<double>(h[i]) * static_cast<double>(behind[k * config.width + i]);
        });
    return sum;
  };
  std::vector<float> gradient(net.parameters().values().size(), 0.0F), direction(gradient.size());
  net.loss_and_gradient(examples, gradient);
  nn::fill_normal(direction, 1, 4, 2);
  const std::vector<float> at(net.parameters().values().begin(), net.parameters().values().end());
  const auto moved = [&](double h) {
    for (std::size_t i = 0; i < at.size(); ++i)
      net.parameters().values()[i] = static_cast<float>(static_cast<double>(at[i]) + h * static_cast<double>(direction[i]));
    return value();
  };
  const double slope = (moved(1e-3) - moved(-1e-3)) / 2e-3;
  const double says = std::inner_product(gradient.begin(), gradient.end(), direction.begin(), 0.0);
  CHECK(std::abs(slope) > 1);
  CHECK(std::abs(slope - says) < 0.01 * std::abs(slope));
  net.set_threads(2);
  std::vector<float> by_two(gradient.size(), 0.0F);
  net.loss_and_gradient(examples, by_two);
  std::copy(at.begin(), at.end(), net.parameters().values().begin());
  std::fill(by_two.begin(), by_two.end(), 0.0F);
  net.loss_and_gradient(examples, by_two);
  for (std::size_t i = 0; i < gradient.size(); ++i) CHECK(std::abs(by_two[i] - gradient[i]) < 1e-3F);
  CHECK_THROWS_AS(net.loss_and_gradient({batch.inputs, batch.targets, batch.weights, batch.offsets,
                                         nn::position_loss::cross_entropy, std::span<const float>{behind}.first(10)},
                                        gradient),
                  invalid_argument);
}
