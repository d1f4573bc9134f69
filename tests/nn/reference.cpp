#include "lacuna/nn/reference.hpp"

#include <vector>

#include <doctest/doctest.h>

#include "comparing.hpp"
#include "small_networks.hpp"

namespace {

using namespace lacuna;
using comparing::dot;
using comparing::exact;
using comparing::from_differences;
using comparing::numbers;
using doubles = std::vector<double>;

// Central differences with a step of 1e-5 are off by about 1e-10 (the third derivative) and 1e-11 (cancellation).
constexpr double tolerance = 1e-7;

}  // namespace

TEST_CASE("the gradient of the plain linear layer is that of finite differences, and a wrong one is noticed") {
  const std::size_t n = 3, in = 4, out = 5;
  const doubles x = exact(numbers(n * in, 1)), w = exact(numbers(in * out, 2)), b = exact(numbers(out, 3)),
                dy = exact(numbers(n * out, 4));
  doubles dw(w.size()), db(b.size());
  const doubles dx = nn::reference::linear_backward(n, in, out, x, w.data(), dy, dw.data(), db.data());
  const auto loss = [&](const doubles& x_, const doubles& w_, const doubles& b_) {
    return dot(dy, nn::reference::linear(n, in, out, x_, w_.data(), b_.data()));
  };
  CHECK(from_differences([&](const doubles& v) { return loss(v, w, b); }, x, dx) < tolerance);
  CHECK(from_differences([&](const doubles& v) { return loss(x, v, b); }, w, dw) < tolerance);
  CHECK(from_differences([&](const doubles& v) { return loss(x, w, v); }, b, db) < tolerance);
  dw[7] *= 1.001;
  CHECK(from_differences([&](const doubles& v) { return loss(x, v, b); }, w, dw) > tolerance);
}

TEST_CASE("the gradients of the plain norms are those of finite differences") {
  const std::size_t n = 3, d = 6;
  const doubles x = exact(numbers(n * d, 1)), w = exact(numbers(d, 2)), b = exact(numbers(d, 3)), dy = exact(numbers(n * d, 4));
  for (const bool layered : {true, false}) {
    CAPTURE(layered);
    doubles dw(d), db(d);
    const doubles dx = nn::reference::norm_backward(n, d, x, w.data(), layered, 1e-5, dy, dw.data(), db.data());
    const auto loss = [&](const doubles& x_, const doubles& w_, const doubles& b_) {
      return dot(dy, nn::reference::norm(n, d, x_, w_.data(), layered ? b_.data() : nullptr, 1e-5));
    };
    CHECK(from_differences([&](const doubles& v) { return loss(v, w, b); }, x, dx) < tolerance);
    CHECK(from_differences([&](const doubles& v) { return loss(x, v, b); }, w, dw) < tolerance);
    if (layered) CHECK(from_differences([&](const doubles& v) { return loss(x, w, v); }, b, db) < tolerance);
  }
}

TEST_CASE("the gradients of the plain activations are those of finite differences") {
  const std::size_t n = 3, f = 5;
  const doubles dg = exact(numbers(n * f, 4));
  for (const nn::activation kind : {nn::activation::gelu, nn::activation::gelu_erf, nn::activation::swiglu}) {
    const doubles u = exact(numbers(n * f * (nn::is_gated(kind) ? 2 : 1), 1, 2.0));
    const doubles du = nn::reference::activate_backward(kind, n, f, u, dg);
    CHECK(from_differences([&](const doubles& v) { return dot(dg, nn::reference::activate(kind, n, f, v)); }, u, du) <
          tolerance);
  }
}

TEST_CASE("the gradient of plain attention with a relation is that of finite differences") {
  const nn::transformer_config c = small_networks::with_relation();
  const std::size_t length = 5;
  const doubles qkv = exact(numbers(length * 3 * c.width, 1)), relation = exact(numbers(c.heads * c.relation->count, 2)),
                dout = exact(numbers(length * c.width, 3));
  doubles probabilities;
  nn::reference::attention(c, length, qkv, relation.data(), probabilities);
  doubles drelation(relation.size());
  const doubles dqkv = nn::reference::attention_backward(c, length, qkv, probabilities, dout, drelation.data());
  const auto loss = [&](const doubles& qkv_, const doubles& relation_) {
    doubles unused;
    return dot(dout, nn::reference::attention(c, length, qkv_, relation_.data(), unused));
  };
  CHECK(from_differences([&](const doubles& v) { return loss(v, relation); }, qkv, dqkv) < tolerance);
  CHECK(from_differences([&](const doubles& v) { return loss(qkv, v); }, relation, drelation) < tolerance);
}

TEST_CASE("plain rotation keeps lengths, leaves position 0 alone, and its inverse undoes it") {
  nn::transformer_config c = small_networks::plain();
  const std::size_t length = 4;
  const doubles before = exact(numbers(length * 3 * c.width, 1));
  doubles after = before;
  nn::reference::rotate(c, length, 1.0, after);
  CHECK(dot(after, after) == doctest::Approx(dot(before, before)).epsilon(1e-12));
  CHECK(std::equal(after.begin(), after.begin() + static_cast<std::ptrdiff_t>(3 * c.width), before.begin()));
  CHECK(comparing::difference(after, before) > 0.1);
  nn::reference::rotate(c, length, -1.0, after);
  CHECK(comparing::difference(after, before) < 1e-14);
}

TEST_CASE("rotated queries and keys see only the distance of their positions") {
  nn::transformer_config c = small_networks::plain();
  c.heads = 1;
  const std::size_t length = 9, d = c.width;
  const doubles token = exact(numbers(3 * d, 1));
  doubles qkv;
  for (std::size_t l = 0; l < length; ++l) qkv.insert(qkv.end(), token.begin(), token.end());
  nn::reference::rotate(c, length, 1.0, qkv);
  const auto score = [&](std::size_t q, std::size_t k) {
    double total = 0.0;
    for (std::size_t i = 0; i < d; ++i) total += qkv[q * 3 * d + i] * qkv[k * 3 * d + d + i];
    return total;
  };
  CHECK(score(2, 0) == doctest::Approx(score(7, 5)).epsilon(1e-12));
  CHECK(score(0, 3) == doctest::Approx(score(5, 8)).epsilon(1e-12));
  CHECK(score(2, 0) != doctest::Approx(score(3, 0)).epsilon(1e-3));
}
