#include "lacuna/train/adamw.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "lacuna/nn/parameters.hpp"

namespace train = lacuna::train;

namespace {

float gradient_at(std::size_t step, std::size_t i) {
  return std::sin(static_cast<float>(1 + 3 * step + 7 * i)) * (i % 5 == 0 ? 1e-3F : 1.0F);
}

/// Two tensors whose sizes are no multiples of a block, the first decayed.
lacuna::nn::parameters two_tensors() {
  lacuna::nn::parameters p;
  const auto a = p.add("a", {5, 7}, true);
  const auto b = p.add("b", {21}, false);
  for (std::size_t i = 0; i < a.size; ++i) p.of(a)[i] = std::cos(static_cast<float>(i));
  for (std::size_t i = 0; i < b.size; ++i) p.of(b)[i] = std::cos(static_cast<float>(i)) * 2;
  return p;
}

/// The formulas of the paper in double.
struct reference {
  std::vector<double> w, m, v;
  explicit reference(const lacuna::nn::parameters& p) : w(p.values().begin(), p.values().end()), m(w.size()), v(w.size()) {}
  void step(const train::adamw& rule, std::size_t t, std::size_t decayed, double rate, double scale) {
    for (std::size_t i = 0; i < w.size(); ++i) {
      const double g = scale * static_cast<double>(gradient_at(t, i));
      m[i] = rule.beta1 * m[i] + (1 - rule.beta1) * g;
      v[i] = rule.beta2 * v[i] + (1 - rule.beta2) * g * g;
      const double m_hat = m[i] / (1 - std::pow(rule.beta1, static_cast<double>(t)));
      const double v_hat = v[i] / (1 - std::pow(rule.beta2, static_cast<double>(t)));
      w[i] -= rate * (m_hat / (std::sqrt(v_hat) + rule.epsilon) + (i < decayed ? rule.decay * w[i] : 0));
    }
  }
};

double worst(const lacuna::nn::parameters& p, const reference& r) {
  double difference = 0;
  for (std::size_t i = 0; i < r.w.size(); ++i)
    difference = std::max(difference, std::abs(static_cast<double>(p.values()[i]) - r.w[i]));
  return difference;
}

}  // namespace

TEST_CASE("a first step worked out by hand: the sign of the gradient, and decay apart from it") {
  lacuna::nn::parameters p;
  const auto a = p.add("a", {2}, true);
  const auto b = p.add("b", {1}, false);
  p.of(a)[0] = 1;
  p.of(a)[1] = -2;
  p.of(b)[0] = 4;
  const train::adamw rule{0.9, 0.98, 1e-8, 0.5};
  auto state = rule.init(p);
  const std::vector<float> gradient{0.25F, -3.0F, 0.0F};
  rule.step(p, gradient, state, 0.1);
  // m_hat / sqrt(v_hat) is g / |g|; decay takes 0.1 * 0.5 of the weight.
  CHECK(p.of(a)[0] == doctest::Approx(1 * 0.95 - 0.1));
  CHECK(p.of(a)[1] == doctest::Approx(-2 * 0.95 + 0.1));
  CHECK(p.of(b)[0] == 4);
  CHECK(state.updates == 1);
  CHECK(state.first[0] == doctest::Approx(0.025));
  CHECK(state.second[1] == doctest::Approx(0.18));
}

TEST_CASE("many steps follow the formulas in double") {
  lacuna::nn::parameters p = two_tensors();
  reference expected{p};
  reference wrong{p};
  const train::adamw rule{0.9, 0.98, 1e-8, 0.1};
  auto state = rule.init(p);
  std::vector<float> gradient(p.values().size());
  constexpr std::size_t steps = 200;
  for (std::size_t t = 1; t <= steps; ++t) {
    const double rate = 0.01 * (1 - static_cast<double>(t) / 400);
    for (std::size_t i = 0; i < gradient.size(); ++i) gradient[i] = gradient_at(t, i);
    rule.step(p, gradient, state, rate, 0.5);
    expected.step(rule, t, 35, rate, 0.5);
    wrong.step(rule, t, 56, rate, 0.5);  // negative control: decays everything
  }
  // A step rounds a few times by 2^-24 of numbers below 4, and the rounding errors of 200 steps add up at worst.
  const double tolerance = steps * 4 * 4 * std::ldexp(1.0, -24);
  CHECK(worst(p, expected) < tolerance);
  CHECK(worst(p, wrong) > 10 * tolerance);
}

TEST_CASE("without decay the scale of the gradient hardly matters, epsilon apart") {
  lacuna::nn::parameters p = two_tensors(), q = two_tensors();
  const train::adamw rule{0.9, 0.98, 1e-12, 0};
  auto sp = rule.init(p), sq = rule.init(q);
  std::vector<float> gradient(p.values().size());
  for (std::size_t t = 1; t <= 20; ++t) {
    for (std::size_t i = 0; i < gradient.size(); ++i) gradient[i] = gradient_at(t, i);
    rule.step(p, gradient, sp, 0.01, 1);
    rule.step(q, gradient, sq, 0.01, 1000);
  }
  for (std::size_t i = 0; i < gradient.size(); ++i) CHECK(p.values()[i] == doctest::Approx(q.values()[i]).epsilon(1e-4));
}

TEST_CASE("a parameter's update does not depend on its place in the buffer, bit for bit") {
  const auto result = [](std::size_t before) {
    lacuna::nn::parameters p;
    if (before != 0) p.add("before", {before}, false);
    const auto a = p.add("a", {37}, true);
    for (std::size_t i = 0; i < a.size; ++i) p.of(a)[i] = std::cos(static_cast<float>(i));
    const train::adamw rule;
    auto state = rule.init(p);
    std::vector<float> gradient(p.values().size());
    for (std::size_t t = 1; t <= 10; ++t) {
      for (std::size_t i = 0; i < a.size; ++i) gradient[a.offset + i] = gradient_at(t, i);
      rule.step(p, gradient, state, 0.01);
    }
    return std::vector<float>(p.of(a).begin(), p.of(a).end());
  };
  const auto first = result(0);
  for (const std::size_t before : {1U, 2U, 3U, 5U, 8U, 13U, 31U}) CHECK(result(before) == first);
}
