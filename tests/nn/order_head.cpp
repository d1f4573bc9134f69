#include "lacuna/nn/order_head.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "lacuna/nn/initial.hpp"
#include "lacuna/nn/order_metadata.hpp"

namespace {

using namespace lacuna;

/// n positions with random numbers.
struct context {
  std::vector<std::size_t> positions{1, 2, 5, 9};
  std::vector<float> hidden = std::vector<float>(4 * 10), features = std::vector<float>(4 * reveal_feature_count);
  context() {
    nn::fill_normal(hidden, 1, 1, 1);
    nn::fill_normal(features, 1, 1, 2);
  }
  [[nodiscard]] reveal_context view() const { return {positions, hidden, features, 0.4}; }
};

nn::order_head random_head() {
  nn::order_head head{{10, 6, -1}, 3};
  nn::fill_normal(head.parameters().values(), 0.4, 5, 0);
  return head;
}

double sum(const nn::order_head& head, const reveal_context& c, std::span<const double> weights) {
  nn::order_head::scratch s;
  std::vector<double> logits(c.size());
  head(c, s, logits);
  double total = 0;
  for (std::size_t k = 0; k < logits.size(); ++k) total += weights[k] * logits[k];
  return total;
}

const std::vector<double> weights{0.7, -1.2, 0.4, 2};

}  // namespace

TEST_CASE(
    "before training every position has the logit that the configuration names, and there are as many parameters as said") {
  const nn::order_head head{{10, 6, -1.5F}, 3};
  CHECK(static_cast<double>(head.parameters().values().size()) == nn::parameter_count(head.config()));
  const context c;
  nn::order_head::scratch s;
  std::vector<double> logits(4);
  head(c.view(), s, logits);
  for (const double l : logits) CHECK(l == -1.5);
}

TEST_CASE("gradients of an order head are those by differences, of parameters and of hidden states") {
  nn::order_head head = random_head();
  context c;
  nn::order_head::scratch s;
  std::vector<float> gradient(head.parameters().values().size(), 0.0F), dhidden(c.hidden.size(), 0.0F);
  head.add_gradient(c.view(), weights, s, gradient, dhidden);
  const auto check = [&](std::span<float> numbers, std::span<const float> says) {
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const float at = numbers[i], h = 1e-2F;
      numbers[i] = at + h;
      const double above = sum(head, c.view(), weights);
      numbers[i] = at - h;
      const double slope = (above - sum(head, c.view(), weights)) / (2 * static_cast<double>(h));
      numbers[i] = at;
      CHECK(std::abs(slope - static_cast<double>(says[i])) < 2e-3);
    }
  };
  check(head.parameters().values(), gradient);
  check(c.hidden, dhidden);
  std::vector<float> twice(gradient);
  head.add_gradient(c.view(), weights, s, twice);
  for (std::size_t i = 0; i < twice.size(); ++i) CHECK(std::abs(twice[i] - 2 * gradient[i]) < 1e-4F);  // added, not set
}

TEST_CASE("scratch of more positions serves fewer, with the same logits") {
  const nn::order_head head = random_head();
  const context c;
  nn::order_head::scratch small, large;
  head.reserve(large, 50);
  std::vector<double> a(4), b(4);
  head(c.view(), small, a);
  head(c.view(), large, b);
  CHECK(a == b);
}

TEST_CASE("hidden states of another size are refused") {
  const nn::order_head head = random_head();
  const context c;
  nn::order_head::scratch s;
  std::vector<double> logits(3);
  const reveal_context wrong{std::span{c.positions}.first(3), c.hidden, c.features, 0};
  CHECK_THROWS_WITH_AS(head(wrong, s, logits), "nn::order_head: 40 numbers of hidden states of 3 positions, expected 10 each",
                       invalid_argument);
  CHECK_THROWS_AS((nn::order_head{{0, 6}, 1}), invalid_argument);
  CHECK_THROWS_AS((nn::order_head{{6, 0}, 1}), invalid_argument);
}

TEST_CASE("the shape of an order head goes to metadata and back") {
  const nn::order_head_config c{48, 20, -0.75F};
  CHECK(nn::order_head_from_metadata(nn::to_metadata(c)) == c);
  auto broken = nn::to_metadata(c);
  broken.erase("order.width");
  CHECK_THROWS_AS(nn::order_head_from_metadata(broken), invalid_argument);
  broken = nn::to_metadata(c);
  broken["order.hidden"] = "many";
  CHECK_THROWS_AS(nn::order_head_from_metadata(broken), invalid_argument);
}
