#include "lacuna/nn/head.hpp"

#include <cstring>
#include <vector>

#include <doctest/doctest.h>

#include "comparing.hpp"
#include "lacuna/nn/parameters.hpp"
#include "lacuna/nn/reference.hpp"
#include "small_networks.hpp"

namespace {

using namespace lacuna;
using comparing::exact;
using comparing::numbers;

}  // namespace

TEST_CASE("tied and own heads and their gradients equal a plain linear layer, whole or in column ranges") {
  for (const nn::head_kind kind : {nn::head_kind::tied, nn::head_kind::own}) {
    nn::transformer_config c = small_networks::plain();
    c.head = kind;
    c.vocabulary = 70;
    nn::parameters p;
    const nn::transformer_layout layout = nn::transformer_layout::add_to(p, c);
    nn::fill_normal(p.values(), 1.0, 1, 1);
    const std::size_t rows = 9, d = c.width, v = c.vocabulary;
    std::vector<double> w(d * v);  // [D, V]
    for (std::size_t i = 0; i < d; ++i)
      for (std::size_t t = 0; t < v; ++t)
        w[i * v + t] = static_cast<double>(kind == nn::head_kind::own ? p.of(*layout.head_weight)[i * v + t]
                                                                      : p.of(layout.token_embedding)[t * d + i]);
    const std::vector<double> bias(p.of(layout.head_bias).begin(), p.of(layout.head_bias).end());
    const std::vector<float> hidden = numbers(rows * d, 2), dlogits = numbers(rows * v, 3);
    std::vector<float> logits(rows * v), parts(rows * v);
    nn::head_forward(c, layout, p.values().data(), rows, hidden.data(), logits.data(), 0, v);
    CHECK(comparing::difference(logits, nn::reference::linear(rows, d, v, exact(hidden), w.data(), bias.data())) <
          comparing::rounding(d));
    nn::head_forward(c, layout, p.values().data(), rows, hidden.data(), parts.data(), 0, 64);
    nn::head_forward(c, layout, p.values().data(), rows, hidden.data(), parts.data(), 64, v);
#ifndef EIGEN_USE_BLAS
    CHECK(std::memcmp(parts.data(), logits.data(), logits.size() * sizeof(float)) == 0);
#else
    CHECK(comparing::difference(parts, logits) < 1e-6);
#endif

    std::vector<float> gradient(p.values().size()), dhidden(rows * d);
    nn::head_backward(c, layout, p.values().data(), rows, hidden.data(), dlogits.data(), dhidden.data(), gradient.data());
    std::vector<double> dw(d * v), dbias(v);
    const std::vector<double> expected =
        nn::reference::linear_backward(rows, d, v, exact(hidden), w.data(), exact(dlogits), dw.data(), dbias.data());
    CHECK(comparing::difference(dhidden, expected) < comparing::rounding(v));
    std::vector<float> got(d * v);
    for (std::size_t i = 0; i < d; ++i)
      for (std::size_t t = 0; t < v; ++t)
        got[i * v + t] = kind == nn::head_kind::own ? gradient[layout.head_weight->offset + i * v + t]
                                                    : gradient[layout.token_embedding.offset + t * d + i];
    CHECK(comparing::difference(got, dw) < comparing::rounding(rows));
    const std::vector<float> got_bias(gradient.begin() + static_cast<std::ptrdiff_t>(layout.head_bias.offset),
                                      gradient.begin() + static_cast<std::ptrdiff_t>(layout.head_bias.offset + v));
    CHECK(comparing::difference(got_bias, dbias) < comparing::rounding(rows));
  }
}
