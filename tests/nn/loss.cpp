#include "lacuna/nn/loss.hpp"

#include <cmath>
#include <vector>

#include <doctest/doctest.h>

#include "comparing.hpp"

namespace {

using namespace lacuna;
using comparing::exact;
using comparing::numbers;

double plain(const std::vector<double>& logits, std::size_t target) {
  double total = 0.0;
  for (const double v : logits) total += std::exp(v - logits[target]);
  return std::log(total);
}

}  // namespace

TEST_CASE("cross-entropy and its gradient are those of the formula in double and of finite differences") {
  for (const std::size_t v : {1U, 7U, 16U, 33U}) {
    const std::vector<float> logits = numbers(v, 1, 3.0);
    const std::size_t target = v / 2;
    std::vector<float> gradient = logits;
    const double loss = nn::cross_entropy_in_place(v, target, 0.75F, gradient.data());
    CHECK(loss == doctest::Approx(0.75 * plain(exact(logits), target)).epsilon(1e-6));
    if (v == 1) {
      CHECK(std::abs(static_cast<double>(gradient[0])) < 1e-6);
      continue;
    }
    CHECK(comparing::from_differences([&](const std::vector<double>& x) { return 0.75 * plain(x, target); }, exact(logits),
                                      exact(gradient)) < 1e-6);
  }
}

TEST_CASE("logits of +-700 leave the loss finite and right") {
  std::vector<float> logits{700.0F, -700.0F, 0.0F};
  CHECK(nn::cross_entropy_in_place(3, 1, 1.0F, logits.data()) == doctest::Approx(1400.0));
  CHECK(logits[0] == doctest::Approx(1.0));
  CHECK(logits[1] == doctest::Approx(-1.0));
}
