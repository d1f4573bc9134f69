#include "lacuna/train/moving_average.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <vector>

namespace train = lacuna::train;

TEST_CASE("the average is the weighted sum it claims to be") {
  const train::moving_average rule{0.75, 0};
  const std::vector<float> start{8};
  auto state = rule.init(start);
  CHECK(state.values == start);
  for (const float w : {4.0F, 0.0F, 16.0F}) rule.update(std::vector<float>{w}, state);
  CHECK(state.values[0] == doctest::Approx(0.75 * (0.75 * (0.75 * 8 + 0.25 * 4) + 0) + 0.25 * 16));
  CHECK(state.updates == 3);
}

TEST_CASE("weights that stand still are their own average") {
  const train::moving_average rule{};
  const std::vector<float> weights{0.1F, -3, 7e-20F};
  auto state = rule.init(weights);
  for (int i = 0; i < 1000; ++i) rule.update(weights, state);
  CHECK(state.values == weights);
}

TEST_CASE("with warm-up the first weights are forgotten at once, without it they linger") {
  const auto left = [](double warmup) {
    const train::moving_average rule{0.999, warmup};
    auto state = rule.init(std::vector<float>{1});
    for (int i = 0; i < 200; ++i) rule.update(std::vector<float>{0}, state);
    return static_cast<double>(state.values[0]);
  };
  double share = 1;
  for (int k = 0; k < 200; ++k) share *= (1.0 + k) / (10.0 + k);
  CHECK(left(10) == doctest::Approx(share).epsilon(1e-4));
  CHECK(left(10) < 1e-6);
  CHECK(left(0) == doctest::Approx(std::pow(0.999, 200)).epsilon(1e-4));
}

TEST_CASE("the decay rises to its limit and stays there; zero keeps the last weights") {
  const train::moving_average rule{0.9, 10};
  CHECK(rule.decay_at(0) == doctest::Approx(0.1));
  CHECK(rule.decay_at(1000) == 0.9);
  for (std::size_t k = 1; k < 200; ++k) CHECK(rule.decay_at(k) >= rule.decay_at(k - 1));
  const train::moving_average last{0, 10};
  auto state = last.init(std::vector<float>{5});
  last.update(std::vector<float>{3}, state);
  CHECK(state.values[0] == 3);
}
