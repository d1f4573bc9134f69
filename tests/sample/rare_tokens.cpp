// Rare tokens keep their share when a step reveals next to nothing.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "lacuna/draw/categorical.hpp"
#include "lacuna/order/ancestral.hpp"
#include "lacuna/sample/compose.hpp"
#include "lacuna/sample/decode.hpp"
#include "tests/sample/models.hpp"

using namespace lacuna;
using namespace lacuna::tests;

namespace {

/// A control: a draw that loses what is rare, as sampling by noise of low precision does.
struct forgets_the_rare {
  token draw(std::span<double> log_p, random_stream& rng) const {
    for (double& v : log_p)
      if (v < std::log(0.005)) v = -infinity;
    normalize_row(log_p);
    return draw::categorical{}.draw(log_p, rng);
  }
};

/// Share of token 0, of probability 0.004, among rows * 8 positions decoded at 1e-3 of them a step.
template <class Draw>
double share(const Draw& draw, std::size_t rows) {
  selective model;
  model.logits = [](std::span<const token>, std::size_t, std::span<float> out) {
    std::fill(out.begin(), out.end(), std::log(0.166F));
    out[0] = std::log(0.004F);
  };
  const std::vector<canvas> blank(rows, canvas::blank(8));
  std::size_t rare = 0;
  std::size_t steps = 0;
  for (const decode_result& r : decode(model, std::span{blank}, compose(order::ancestral{1000}, draw), {.seed = 11}).rows) {
    rare += static_cast<std::size_t>(std::count(r.tokens.begin(), r.tokens.end(), 0));
    steps += r.steps;
  }
  CHECK(steps > rows * 79 / 10);  // hardly two positions ever go together
  return static_cast<double>(rare) / static_cast<double>(rows * 8);
}

}  // namespace

TEST_CASE("a token of probability 0.004 keeps its share at a step rate of 1e-3") {
  constexpr std::size_t rows = 1000;
  const double sd = std::sqrt(0.004 * 0.996 / (rows * 8));  // 32 expected, standard deviation 5.6
  CHECK(std::abs(share(draw::categorical{}, rows) - 0.004) < 3.5 * sd);
  CHECK(std::abs(share(forgets_the_rare{}, rows) - 0.004) >= 3.5 * sd);
}
