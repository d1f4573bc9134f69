#include "lacuna/nn/linear.hpp"

#include <vector>

#include <doctest/doctest.h>

#include "comparing.hpp"
#include "lacuna/nn/reference.hpp"

namespace {

using namespace lacuna;
using comparing::exact;
using comparing::numbers;

}  // namespace

TEST_CASE("a linear layer and its gradient equal the plain loops") {
  for (const std::size_t tokens : {1U, 6U, 43U}) {
    const std::size_t in = 20, out = 35;
    const std::vector<float> x = numbers(tokens * in, 1), w = numbers(in * out, 2), b = numbers(out, 3),
                             dy = numbers(tokens * out, 4), onto = numbers(tokens * out, 5);
    std::vector<float> y(tokens * out);
    nn::linear_forward(tokens, in, out, x.data(), w.data(), b.data(), y.data());
    const std::vector<double> wd = exact(w), bd = exact(b);
    std::vector<double> expected = nn::reference::linear(tokens, in, out, exact(x), wd.data(), bd.data());
    CHECK(comparing::difference(y, expected) < comparing::rounding(in));

    y = onto;
    nn::linear_forward_onto(tokens, in, out, x.data(), w.data(), b.data(), y.data(), y.data());
    for (std::size_t i = 0; i < expected.size(); ++i) expected[i] += static_cast<double>(onto[i]);
    CHECK(comparing::difference(y, expected) < comparing::rounding(in));

    std::vector<float> dw = numbers(in * out, 6), db = numbers(out, 7), dx(tokens * in), transposed(w.size());
    std::vector<double> expected_dw = exact(dw), expected_db = exact(db);
    nn::linear_backward_weight(tokens, in, out, x.data(), dy.data(), dw.data(), db.data());
    nn::transpose(in, out, w.data(), transposed.data());
    nn::linear_backward_input(tokens, in, out, dy.data(), transposed.data(), dx.data());
    const std::vector<double> expected_dx =
        nn::reference::linear_backward(tokens, in, out, exact(x), wd.data(), exact(dy), expected_dw.data(), expected_db.data());
    CHECK(comparing::difference(dx, expected_dx) < comparing::rounding(out));
    CHECK(comparing::difference(dw, expected_dw) < comparing::rounding(tokens));
    CHECK(comparing::difference(db, expected_db) < comparing::rounding(tokens));
  }
}
