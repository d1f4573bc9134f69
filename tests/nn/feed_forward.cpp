#include "lacuna/nn/feed_forward.hpp"

#include <cmath>
#include <vector>

#include <doctest/doctest.h>

#include "comparing.hpp"
#include "lacuna/nn/reference.hpp"

namespace {

using namespace lacuna;
using comparing::exact;
using comparing::numbers;

}  // namespace

TEST_CASE("activations and their gradients equal the plain loops") {
  for (const nn::activation kind : {nn::activation::gelu, nn::activation::swiglu})
    for (const std::size_t f : {1U, 16U, 21U}) {
      const std::size_t tokens = 7, parts = kind == nn::activation::swiglu ? 2 : 1;
      const std::vector<float> u = numbers(tokens * parts * f, 1, 3.0), dg = numbers(tokens * f, 2);
      const std::vector<double> expected = nn::reference::activate(kind, tokens, f, exact(u));
      std::vector<float> g(tokens * f), slopes = u, again(tokens * f), du(u.size());
      nn::activation_forward(kind, tokens, f, u.data(), g.data());
      CHECK(comparing::difference(g, expected) < 1e-6);
      nn::activation_forward_with_slopes(kind, tokens, f, slopes.data(), again.data());
      CHECK(comparing::difference(again, expected) < 1e-6);
      nn::activation_backward(kind, tokens, f, slopes.data(), dg.data(), du.data());
      CHECK(comparing::difference(du, nn::reference::activate_backward(kind, tokens, f, exact(u), exact(dg))) < 1e-6);
    }
}

TEST_CASE("GELU is within 5e-4 of the form with erf and finite for huge inputs") {
  double worst = 0.0;
  for (double x = -6.0; x <= 6.0; x += 0.01) {
    const auto u = static_cast<float>(x);
    float g = 0.0F;
    nn::activation_forward(nn::activation::gelu, 1, 1, &u, &g);
    worst = std::max(worst, std::abs(static_cast<double>(g) - x / 2 * (1 + std::erf(x / std::sqrt(2.0)))));
  }
  CHECK(worst < 5e-4);
  CHECK(worst > 1e-4);
  for (const float u : {-1e6F, 1e6F}) {
    float g = 0.0F, slope = u;
    nn::activation_forward_with_slopes(nn::activation::gelu, 1, 1, &slope, &g);
    CHECK(g == doctest::Approx(u > 0 ? 1e6 : 0.0));
    CHECK(slope == doctest::Approx(u > 0 ? 1.0 : 0.0));
  }
}
