#include "lacuna/nn/feed_forward.hpp"

#include <algorithm>
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
  for (const nn::activation kind : {nn::activation::gelu, nn::activation::gelu_erf, nn::activation::swiglu})
    for (const std::size_t f : {1U, 16U, 21U}) {
      const std::size_t tokens = 7, parts = nn::is_gated(kind) ? 2 : 1;
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

TEST_CASE("GELU in its tanh form is within 5e-4 of the form with erf, and the form with erf within 3e-7 of itself in double") {
  double worst_tanh = 0.0, worst_erf = 0.0, worst_slope = 0.0;
  for (double x = -12.0; x <= 12.0; x += 0.0013) {
    const auto u = static_cast<float>(x);
    float g = 0.0F, exact = 0.0F, slope = u, again = 0.0F;
    nn::activation_forward(nn::activation::gelu, 1, 1, &u, &g);
    nn::activation_forward(nn::activation::gelu_erf, 1, 1, &u, &exact);
    nn::activation_forward_with_slopes(nn::activation::gelu_erf, 1, 1, &slope, &again);
    const double expected = nn::reference::gelu_erf(static_cast<double>(u));
    const double scale = std::max(1.0, std::abs(x));
    worst_tanh = std::max(worst_tanh, std::abs(static_cast<double>(g) - expected));
    worst_erf = std::max({worst_erf, std::abs(static_cast<double>(exact) - expected) / scale,
                          std::abs(static_cast<double>(again) - expected) / scale});
    worst_slope =
        std::max(worst_slope, std::abs(static_cast<double>(slope) - nn::reference::gelu_erf_slope(static_cast<double>(u))));
  }
  CHECK(worst_tanh < 5e-4);
  CHECK(worst_tanh > 1e-4);
  CHECK(worst_erf < 3e-7);
  CHECK(worst_slope < 3e-7);
}

TEST_CASE("GELU with erf keeps its relative precision in the tail, where 1 + erf would lose it") {
  for (float u = -0.25F; u > -8.0F; u *= 1.1F) {
    float g = 0.0F;
    nn::activation_forward(nn::activation::gelu_erf, 1, 1, &u, &g);
    CHECK(static_cast<double>(g) == doctest::Approx(nn::reference::gelu_erf(static_cast<double>(u))).epsilon(2e-5));
  }
}

TEST_CASE("both forms of GELU are finite for huge inputs") {
  for (const nn::activation kind : {nn::activation::gelu, nn::activation::gelu_erf})
    for (const float u : {-1e6F, 1e6F}) {
      float g = 0.0F, slope = u, alone = 0.0F;
      nn::activation_forward(kind, 1, 1, &u, &alone);
      nn::activation_forward_with_slopes(kind, 1, 1, &slope, &g);
      CHECK(g == doctest::Approx(u > 0 ? 1e6 : 0.0));
      CHECK(alone == doctest::Approx(u > 0 ? 1e6 : 0.0));
      CHECK(slope == doctest::Approx(u > 0 ? 1.0 : 0.0));
    }
}
