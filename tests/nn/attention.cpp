#include "lacuna/nn/attention.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include <doctest/doctest.h>

#include "comparing.hpp"
#include "lacuna/nn/block.hpp"
#include "lacuna/nn/embedding.hpp"
#include "lacuna/nn/reference.hpp"
#include "small_networks.hpp"

namespace {

using namespace lacuna;
using comparing::exact;
using comparing::numbers;

struct expanded {
  std::vector<float> data;
  nn::attention_scores<float> view;
  expanded(const nn::transformer_config& c, const float* numbers, std::size_t length)
      : data(c.heads * length * nn::simd::padded(length)), view{data.data(), length, nn::simd::padded(length)} {
    if (numbers != nullptr)
      for (std::size_t h = 0; h < c.heads; ++h) nn::expand_relation(c, numbers, length, h, view);
  }
};

}  // namespace

TEST_CASE("attention and its gradients equal the plain loops, with and without a relation, for every row length") {
  nn::transformer_config related = small_networks::with_relation();
  for (const bool with_relation : {false, true})
    for (const std::size_t length : {1U, 2U, 15U, 16U, 17U, 21U}) {
      CAPTURE(with_relation);
      CAPTURE(length);
      nn::transformer_config c = related;
      if (!with_relation) c.relation.reset();
      const std::size_t d = c.width, stride = nn::simd::padded(length);
      const std::vector<float> qkv = numbers(length * 3 * d, 1), relation = numbers(c.heads * 3, 2),
                               dout = numbers(length * d, 3);
      const std::vector<double> relation_d = exact(relation);
      const expanded scores{c, with_relation ? relation.data() : nullptr, length};
      std::vector<float> probabilities(c.heads * length * stride), out(length * d);
      const nn::attention_scores<const float> view =
          with_relation ? nn::attention_scores<const float>{scores.view.data, scores.view.rows, scores.view.stride}
                        : nn::attention_scores<const float>{};
      const nn::attention_shape shape{c.heads, c.head_width()};
      nn::attention_forward(shape, length, 0, length, nn::split_qkv(qkv.data(), d), view, probabilities.data(), length * stride,
                            {out.data(), d});
      std::vector<double> expected_probabilities;
      const std::vector<double> expected =
          nn::reference::attention(c, length, exact(qkv), with_relation ? relation_d.data() : nullptr, expected_probabilities);
      CHECK(comparing::difference(out, expected) < 2e-6);

      std::vector<float> dqkv(qkv.size()), scratch(length * stride);
      expanded dscores{c, nullptr, length};
      for (std::size_t h = 0; h < c.heads; ++h)
        nn::attention_backward(shape, h, length, length, nn::split_qkv(qkv.data(), d), probabilities.data(), {dout.data(), d},
                               {dqkv.data(), 3 * d}, {dqkv.data() + d, 3 * d}, {dqkv.data() + 2 * d, 3 * d},
                               with_relation ? dscores.view : nn::attention_scores<float>{}, scratch.data());
      std::vector<double> expected_drelation(relation.size());
      const std::vector<double> expected_dqkv = nn::reference::attention_backward(
          c, length, exact(qkv), expected_probabilities, exact(dout), with_relation ? expected_drelation.data() : nullptr);
      CHECK(comparing::difference(dqkv, expected_dqkv) < 3e-6);
      if (with_relation && length > 1) {
        std::vector<float> drelation(relation.size());
        nn::expand_relation_backward(c, {dscores.view.data, dscores.view.rows, dscores.view.stride}, length, drelation.data());
        CHECK(comparing::difference(drelation, expected_drelation) < 1e-5);
      }
    }
}

TEST_CASE("a query's result is bitwise the same alone and among the others") {
  const nn::transformer_config c = small_networks::plain();
  const std::size_t d = c.width, length = 21, stride = nn::simd::padded(length);
  const std::vector<float> qkv = numbers(length * 3 * d, 1);
  std::vector<float> scratch(length * stride), whole(length * d), single(length * d);
  const nn::attention_shape shape{c.heads, c.head_width()};
  nn::attention_forward(shape, length, 0, length, nn::split_qkv(qkv.data(), d), {}, scratch.data(), 0, {whole.data(), d});
  for (std::size_t q = 0; q < length; ++q)
    nn::attention_forward(shape, length, q, q + 1, nn::split_qkv(qkv.data(), d), {}, scratch.data(), 0, {single.data(), d});
#ifndef EIGEN_USE_BLAS
  CHECK(std::memcmp(whole.data(), single.data(), whole.size() * sizeof(float)) == 0);
#else
  CHECK(comparing::difference(whole, single) < 1e-6);
#endif
}

TEST_CASE("a softmax sums to one for scores near +-700 and for a row far below zero") {
  for (const float center : {0.0F, 700.0F, -700.0F}) {
    const std::size_t n = 19;
    std::vector<float> s = numbers(nn::simd::padded(n), 1, 3.0);
    std::vector<double> expected(n);
    double total = 0.0;
    for (std::size_t i = 0; i < n; ++i) total += expected[i] = std::exp(static_cast<double>(s[i]));
    for (double& v : expected) v /= total;
    for (float& v : s) v += center;
    nn::row_softmax{n, 1.0F}(nullptr, s.data());
    for (std::size_t i = n; i < s.size(); ++i) CHECK(s[i] == 0.0F);
    s.resize(n);
    CHECK(comparing::difference(s, expected) < 1e-4);  // 700 leaves the scores 4 decimals
  }
}

TEST_CASE("queries that see the keys up to their own have the attention of a row cut off behind them, however they are split") {
  const nn::attention_shape shape{3, 8};
  const std::size_t d = 24;
  const std::size_t length = 37;
  const std::vector<float> qkv = comparing::numbers(length * 3 * d, 41);
  const std::size_t stride = nn::simd::padded(length);
  std::vector<float> probabilities(3 * length * stride, 7.0F), out(length * d), cut(length * d), split(length * d);
  nn::attention_forward<nn::key_range::up_to_own>(shape, length, 0, length, nn::split_qkv(qkv.data(), d), {},
                                                  probabilities.data(), length * stride, {out.data(), d});
  for (std::size_t q = 0; q < length; ++q) {
    std::vector<float> scratch(3 * stride);
    nn::attention_forward(shape, q + 1, q, q + 1, nn::split_qkv(qkv.data(), d), {}, scratch.data(), 0, {cut.data(), d});
    for (std::size_t h = 0; h < 3; ++h)
      for (std::size_t k = 0; k < stride; ++k) CHECK((probabilities[(h * length + q) * stride + k] > 0) == (k <= q));
  }
  CHECK(out == cut);
  std::vector<float> scratch(10 * stride, 7.0F);
  for (std::size_t q = 0; q < length; q += 10)
    nn::attend<nn::key_range::up_to_own>(
        shape, length, q, std::min<std::size_t>(10, length - q),
        {{qkv.data() + q * 3 * d, 3 * d}, {qkv.data() + d, 3 * d}, {qkv.data() + 2 * d, 3 * d}}, {}, scratch.data(), 0,
        {split.data() + q * d, d});
  CHECK(out == split);
}
