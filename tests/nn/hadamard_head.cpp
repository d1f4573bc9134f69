#include "lacuna/nn/hadamard_head.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "lacuna/nn/reference.hpp"
#include "pair_contexts.hpp"

namespace {

using namespace lacuna;
using namespace pair_contexts;

/// The formulas, a pair at a time, in double.
std::vector<double> plain(const nn::hadamard_config& c, const nn::parameters& places, const std::vector<double>& x,
                          const owned_example& e) {
  const std::size_t n = e.size();
  const std::size_t h = c.width;
  const auto tensor = [&](std::size_t i) { return x.data() + places.list()[i].offset; };
  const std::vector<double> z = nn::reference::linear(n, c.hidden, h, comparing::exact(e.hidden), tensor(0), tensor(1));
  const std::vector<double> q = nn::reference::linear(n, h, h, z, tensor(2), tensor(3));
  const std::vector<double> k = nn::reference::linear(n, h, h, z, tensor(4), tensor(5));
  const auto one_way = [&](std::size_t i, std::size_t j) {
    std::vector<double> product(h);
    for (std::size_t d = 0; d < h; ++d) product[d] = q[i * h + d] * k[j * h + d];
    const std::vector<double> normal =
        nn::reference::norm(1, h, product, tensor(6), tensor(7), static_cast<double>(c.norm_epsilon));
    std::vector<double> inner = nn::reference::linear(1, h, h, normal, tensor(8), tensor(9));
    for (double& u : inner) u = nn::reference::gelu(u);
    return std::log1p(std::exp(nn::reference::linear(1, h, 1, inner, tensor(10), tensor(11))[0]));
  };
  std::vector<double> out(n * n, 0.0);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      if (i != j) out[i * n + j] = (one_way(i, j) + one_way(j, i)) / 2;
  return out;
}
auto plain_of(const nn::hadamard_head& head) {
  return [&](const std::vector<double>& x, const owned_example& e) { return plain(head.config(), head.parameters(), x, e); };
}

nn::hadamard_head stirred(std::size_t hidden, std::size_t width) {
  nn::hadamard_head head{{hidden, width}, 3};
  stir(head, 77);
  return head;
}

struct sizes {
  std::size_t n, hidden, width;
};

template <class F>
std::string message(const F& f) {
  try {
    f();
  } catch (const invalid_argument& e) {
    return e.what();
  }
  return "";
}

}  // namespace

static_assert(nn::pair_head<nn::hadamard_head>);

TEST_CASE("the hadamard head has 3 H^2 + (D + 7) H + 1 parameters, the published numbers at the published sizes") {
  for (const std::size_t d : {1U, 5U, 16U, 33U})
    for (const std::size_t h : {1U, 7U, 16U}) {
      const nn::hadamard_head head{{d, h}, 1};
      CHECK(head.parameters().values().size() == 3 * h * h + (d + 7) * h + 1);
      CHECK(nn::parameter_count(head.config()) == static_cast<double>(head.parameters().values().size()));
    }
  CHECK(nn::parameter_count(nn::hadamard_config{384, 128}) == doctest::Approx(0.10e6).epsilon(0.05));
  CHECK(nn::parameter_count(nn::hadamard_config{960, 384}) == doctest::Approx(0.81e6).epsilon(0.01));
}

TEST_CASE("the hadamard head computes its formulas: against plain loops in double") {
  for (const sizes& s : {sizes{2, 3, 1}, {5, 7, 6}, {9, 20, 16}, {17, 16, 33}}) {
    CAPTURE(s.width);
    const nn::hadamard_head head = stirred(s.hidden, s.width);
    const owned_example e = random_example(s.n, s.hidden, 4, s.n);
    const std::vector<double> x(head.parameters().values().begin(), head.parameters().values().end());
    // Seven layers, one after the other, each off by the rounding of its sums, which a norm may enlarge.
    CHECK(comparing::difference(estimates(head, e), plain_of(head)(x, e)) < 10 * comparing::rounding(s.hidden + s.width));
  }
}

TEST_CASE("hadamard estimates are symmetric, positive off the diagonal, 0 on it; a choice of positions gives the submatrix") {
  const nn::hadamard_head head = stirred(7, 10);
  const owned_example e = random_example(6, 7, 4, 2);
  const std::vector<double> all = estimates(head, e);
  for (std::size_t a = 0; a < 6; ++a)
    for (std::size_t b = 0; b < 6; ++b) {
      CHECK(all[a * 6 + b] == all[b * 6 + a]);
      CHECK((a == b ? all[a * 6 + b] == 0 : all[a * 6 + b] > 0));
    }
  nn::hadamard_head::scratch scratch;
  for (const std::vector<std::size_t>& chosen : {std::vector<std::size_t>{1, 4}, {5, 0, 2}, {3}, {}, {0, 1, 2, 3, 4, 5}}) {
    const std::vector<double> some = estimates(head, e.context(), chosen, scratch);
    for (std::size_t a = 0; a < chosen.size(); ++a)
      for (std::size_t b = 0; b < chosen.size(); ++b) CHECK(some[a * chosen.size() + b] == all[chosen[a] * 6 + chosen[b]]);
  }
}

TEST_CASE("permuted positions give permuted hadamard estimates, and another context others") {
  const nn::hadamard_head head = stirred(7, 10);
  const owned_example e = random_example(5, 7, 4, 2);
  const std::vector<std::size_t> order{3, 0, 4, 2, 1};
  const std::vector<double> before = estimates(head, e);
  const std::vector<double> after = estimates(head, permuted(e, order));
  for (std::size_t a = 0; a < 5; ++a)
    for (std::size_t b = 0; b < 5; ++b) CHECK(after[a * 5 + b] == before[order[a] * 5 + order[b]]);
  CHECK(before != after);
}

TEST_CASE("the hadamard gradient is that of the loss, tensor by tensor") {
  for (const nn::pair_loss& loss : {nn::pair_loss{}, nn::pair_loss{0.5, 0.3, 1e-2}})
    for (const sizes& s : {sizes{2, 3, 5}, {5, 7, 6}, {3, 4, 17}}) {
      CAPTURE(s.width);
      nn::hadamard_head head = stirred(s.hidden, s.width);
      const auto found = gradient_error(head, plain_of(head), random_example(s.n, s.hidden, 4, s.n + 1), loss);
      CAPTURE(found.second);
      // As above, there and back. (A norm over two numbers leaves their signs alone: there the gradient is all cancellation.)
      CHECK(found.first < 20 * comparing::rounding(s.n * s.width));
    }
}

TEST_CASE(
    "pairs of weight 0 do not matter to the hadamard head, whatever their targets; an example of one position is nothing") {
  nn::hadamard_head head = stirred(7, 6);
  owned_example e = random_example(5, 7, 4, 3);
  nn::hadamard_head::scratch scratch;
  std::vector<float> gradient(head.parameters().values().size()), again(gradient.size());
  const double loss = head.loss_and_gradient(e.view(), {}, scratch, gradient);
  CHECK(loss > 0);
  for (std::size_t i = 0; i < 25; ++i)
    if (e.weights[i] == 0) e.targets[i] = std::numeric_limits<float>::quiet_NaN();
  CHECK(head.loss_and_gradient(e.view(), {}, scratch, again) == loss);
  CHECK(again == gradient);
  const owned_example one = random_example(1, 7, 4, 3);
  CHECK(head.loss_and_gradient(one.view(), {}, scratch, again) == 0);
  CHECK(again == gradient);
}

TEST_CASE("hidden states that are not numbers give estimates that are none") {
  const nn::hadamard_head head = stirred(7, 6);
  owned_example e = random_example(3, 7, 4, 3);
  e.hidden[8] = std::numeric_limits<float>::quiet_NaN();  // of the second
  const std::vector<double> out = estimates(head, e);
  CHECK(std::isnan(out[1]));
  CHECK(std::isnan(out[3 + 2]));
  CHECK(std::isfinite(out[2]));
}

TEST_CASE("a hadamard head of no size, hidden states of another and positions that are not there are refused") {
  CHECK(message([] { nn::hadamard_head{{0, 4}, 1}; }).find("hidden is 0") != std::string::npos);
  CHECK(message([] { nn::hadamard_head{{4, 0}, 1}; }).find("width is 0") != std::string::npos);
  for (const float bad : {0.0F, -1.0F, std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()})
    CHECK(message([&] { nn::hadamard_head{{4, 4, bad}, 1}; }).find("norm_epsilon is") != std::string::npos);

  const nn::hadamard_head head = stirred(7, 6);
  CHECK(message([&] { estimates(head, random_example(3, 8, 4, 3)); }) ==
        "head on pairs: got 24 numbers of hidden states, expected 21");
  const owned_example e = random_example(3, 7, 4, 3);
  CHECK(message([&] {
          estimates(head, e.context(), {0, 3});
        }) == "head on pairs: position number 3 was chosen, expected less than 3");
  nn::hadamard_head::scratch scratch;
  std::vector<double> out(3);
  CHECK(message([&] {
          head(e.context(), std::vector<std::size_t>{0, 1}, scratch, out);
        }) == "head on pairs: got 3 places for estimates, expected 4");
  std::vector<float> gradient(head.parameters().values().size());
  CHECK(message([&] { head.loss_and_gradient(random_example(3, 8, 4, 3).view(), {}, scratch, gradient); }) ==
        "head on pairs: got 24 numbers of hidden states, expected 21");
}

TEST_CASE("hadamard heads of one seed are the same") {
  const nn::hadamard_head a{{5, 4}, 9}, b{{5, 4}, 9}, c{{5, 4}, 10};
  CHECK(std::equal(a.parameters().values().begin(), a.parameters().values().end(), b.parameters().values().begin()));
  CHECK(!std::equal(a.parameters().values().begin(), a.parameters().values().end(), c.parameters().values().begin()));
}
