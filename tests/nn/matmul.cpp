#include "lacuna/nn/matmul.hpp"

#include <cstring>
#include <vector>

#include <doctest/doctest.h>

#include "comparing.hpp"

namespace {

using namespace lacuna::nn;
using comparing::numbers;

template <operand A, operand B>
std::vector<double> plain_loops(std::size_t m, std::size_t n, std::size_t k, const std::vector<float>& a,
                                const std::vector<float>& b) {
  std::vector<double> c(m * n);
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t l = 0; l < k; ++l)
        c[i * n + j] += static_cast<double>(A == operand::plain ? a[i * k + l] : a[l * m + i]) *
                        static_cast<double>(B == operand::plain ? b[l * n + j] : b[j * k + l]);
  return c;
}

template <operand A, operand B>
void check_shape(std::size_t m, std::size_t n, std::size_t k) {
  CAPTURE(m);
  CAPTURE(n);
  CAPTURE(k);
  const std::vector<float> a = numbers(m * k, 1), b = numbers(k * n, 2), start = numbers(m * n, 3), bias = numbers(n, 4);
  const std::size_t a_stride = A == operand::plain ? k : m;
  const std::size_t b_stride = B == operand::plain ? n : k;
  std::vector<double> expected = plain_loops<A, B>(m, n, k, a, b);
  std::vector<float> c(m * n, 99.0F);
  product<A, B>(m, n, k, {a.data(), a_stride}, {b.data(), b_stride}, {c.data(), n});
  CHECK(comparing::difference(c, expected) < comparing::rounding(k));

  for (std::size_t i = 0; i < m * n; ++i) expected[i] += static_cast<double>(start[i]) + static_cast<double>(bias[i % n]);
  c = start;
  product<A, B>(m, n, k, {a.data(), a_stride}, {b.data(), b_stride}, {c.data(), n}, {{c.data(), n}, bias.data()});
  CHECK(comparing::difference(c, expected) < comparing::rounding(k));
}

}  // namespace

TEST_CASE("products of every shape and orientation equal plain loops in double") {
  for (const std::size_t m : {1U, 2U, 5U, 6U, 13U, 25U})
    for (const std::size_t n : {1U, 15U, 16U, 33U, 64U, 97U, 129U})
      for (const std::size_t k : {1U, 7U, 128U, 131U, 300U}) {
        check_shape<operand::plain, operand::plain>(m, n, k);
        check_shape<operand::plain, operand::transposed>(m, n, k);
        check_shape<operand::transposed, operand::plain>(m, n, k);
      }
}

TEST_CASE("a product over nothing is its start") {
  const std::vector<float> bias = numbers(5, 1);
  std::vector<float> c(10, 99.0F);
  product(2, 5, 0, {nullptr, 0}, {nullptr, 5}, {c.data(), 5}, {{}, bias.data()});
  for (std::size_t i = 0; i < 10; ++i) CHECK(c[i] == bias[i % 5]);
}

TEST_CASE("a padded product writes zeros behind the last column, up to whole packets") {
  const std::size_t m = 7, n = 21, k = 9, stride = simd::padded(n);
  const std::vector<float> a = numbers(m * k, 1), b = numbers(n * k, 2);
  std::vector<float> c(m * stride, 99.0F), exact(m * n);
  product<operand::plain, operand::transposed>(m, n, k, {a.data(), k}, {b.data(), k}, {exact.data(), n});
  product<operand::plain, operand::transposed, tail::padded>(m, n, k, {a.data(), k}, {b.data(), k}, {c.data(), stride});
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < stride; ++j) CHECK(c[i * stride + j] == (j < n ? exact[i * n + j] : 0.0F));
}

TEST_CASE("a transpose has rows and columns exchanged") {
  for (const std::size_t rows : {1U, 16U, 19U, 48U})
    for (const std::size_t columns : {1U, 16U, 35U}) {
      const std::vector<float> x = numbers(rows * columns, 1);
      std::vector<float> y(x.size());
      transpose(rows, columns, x.data(), y.data());
      bool same = true;
      for (std::size_t r = 0; r < rows; ++r)
        for (std::size_t c = 0; c < columns; ++c) same = same && y[c * rows + r] == x[r * columns + c];
      CHECK(same);
    }
}

#ifndef EIGEN_USE_BLAS
TEST_CASE("an element of a product is bitwise the same whatever rows and columns are computed with it") {
  const std::size_t m = 41, n = 150, k = 200;
  const std::vector<float> a = numbers(m * k, 1), b = numbers(k * n, 2);
  std::vector<float> whole(m * n);
  product(m, n, k, {a.data(), k}, {b.data(), n}, {whole.data(), n});
  for (const std::size_t rows : {1U, 2U, 3U, 6U, 12U, 40U})
    for (const std::size_t columns : {1U, 10U, 16U, 32U, 48U, 64U, 100U}) {
      std::vector<float> part(rows * columns);
      const std::size_t i = m - rows, j = n - columns;
      product(rows, columns, k, {a.data() + i * k, k}, {b.data() + j, n}, {part.data(), columns});
      bool same = true;
      for (std::size_t r = 0; r < rows; ++r)
        same = same && std::memcmp(part.data() + r * columns, whole.data() + (i + r) * n + j, columns * sizeof(float)) == 0;
      CHECK(same);
    }
}
#endif
