// Logits of any size, ties, and noise of any temperature.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "lacuna/rank/gumbel.hpp"
#include "lacuna/sample/compose.hpp"
#include "lacuna/sample/decode.hpp"
#include "tests/sample/models.hpp"
#include "tests/sample/policies.hpp"

using namespace lacuna;
using namespace lacuna::tests;

TEST_CASE("logits near +700 and -700 give the probabilities of their differences") {
  for (const float offset : {-700.0F, 0.0F, 700.0F}) {
    whole model;
    model.logits = [offset](std::span<const token>, std::size_t, std::span<float> out) {
      std::fill(out.begin(), out.end(), offset);
      out[3] = offset + 2;
    };
    const decode_result r =
        decode(model, canvas::blank(3), compose(order::top_k{rank::entropy{}, pace::linear{3}}, draw::argmax{}), 1);
    CHECK(r.tokens == std::vector<token>(3, 3));
    CHECK(r.confidence[0] == doctest::Approx(std::exp(2.0) / (std::exp(2.0) + 6)));
  }
}

TEST_CASE("logits 1400 apart: certainty, no NaN, and no draw of the impossible") {
  whole model;
  model.logits = [](std::span<const token>, std::size_t, std::span<float> out) {
    std::fill(out.begin(), out.end(), -700.0F);
    out[2] = 700;
  };
  const decode_result r =
      decode(model, canvas::blank(50), compose(order::top_k{rank::entropy{}, pace::linear{5}}, draw::categorical{}), 1);
  CHECK(r.tokens == std::vector<token>(50, 2));
  CHECK(r.confidence == std::vector<double>(50, 1.0));
}

TEST_CASE("infinite logits share the mass") {
  whole model;
  model.logits = [](std::span<const token>, std::size_t, std::span<float> out) {
    std::fill(out.begin(), out.end(), 3.0F);
    out[1] = out[4] = std::numeric_limits<float>::infinity();
  };
  const decode_result r = decode(model, canvas::blank(2), compose(surest(1), draw::argmax{}), 1);
  CHECK(r.tokens == std::vector<token>{1, 1});
  CHECK(r.confidence[0] == doctest::Approx(0.5));
}

TEST_CASE("ties go to the lowest token and the lowest position") {
  whole model;
  model.logits = [](std::span<const token>, std::size_t, std::span<float> out) {
    std::fill(out.begin(), out.end(), 1.0F);
    out[0] = 0;
  };
  const decode_result r = decode(model, canvas::blank(5), compose(surest(2), draw::argmax{}), 1);
  CHECK(r.tokens == std::vector<token>(5, 1));
  CHECK(r.step == std::vector<std::size_t>{0, 0, 1, 1, 2});
}

TEST_CASE("noise of temperature .01, 1 or 1e6 with one mask left: the one is chosen") {
  for (const double temperature : {0.01, 1.0, 1e6}) {
    whole model;
    canvas c = canvas::blank(9);
    for (std::size_t i = 0; i < 9; ++i)
      if (i != 6) c.fix(i, 1);
    const decode_result r =
        decode(model, c, compose(order::top_k{rank::gumbel{temperature, rank::confidence{}}}, draw::argmax{}), 1);
    CHECK(r.steps == 1);
    CHECK(r.cells[6] == cell::committed);
    CHECK(
        decode(model, canvas::blank(9), compose(order::top_k{rank::gumbel{temperature, rank::confidence{}}}, draw::argmax{}), 1)
            .steps == 9);
  }
}
