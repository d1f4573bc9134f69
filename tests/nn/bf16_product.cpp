#include "lacuna/nn/bf16_product.hpp"

#include <doctest/doctest.h>

#if defined(__AMX_BF16__) && defined(__AVX512BF16__) && \
    defined(__linux__)  // a processor that has the units, and is compiled for

#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

#include "lacuna/core/scatter.hpp"

namespace {

using namespace lacuna;

struct sizes {
  std::size_t m, n, k;
};
/// Whole tiles, parts of tiles in each direction, less than a tile, one of everything.
constexpr sizes cases[] = {{64, 64, 64}, {486, 96, 96}, {33, 17, 95}, {5, 33, 37}, {16, 16, 32}, {31, 48, 33}, {1, 1, 1}};

std::vector<float> numbers(std::size_t count, std::uint64_t seed) {
  std::vector<float> out(count);
  for (std::size_t i = 0; i < count; ++i) out[i] = static_cast<float>(scatter(seed + i) % 2001) / 1000.0F - 1.0F;
  return out;
}

/// To the nearest bfloat16, ties to even.
float rounded(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  return std::bit_cast<float>((bits + 0x7FFFU + ((bits >> 16U) & 1U)) & 0xFFFF0000U);
}

struct problem {
  sizes size;
  std::vector<float> a = numbers(size.m * size.k, 1), b = numbers(size.k * size.n, 2'000'000);
  std::vector<float> rows = numbers(size.m * size.n, 4'000'000), bias = numbers(size.n, 6'000'000);

  [[nodiscard]] std::vector<float> transposed_a() const {
    std::vector<float> out(a.size());
    for (std::size_t i = 0; i < size.m; ++i)
      for (std::size_t k = 0; k < size.k; ++k) out[k * size.m + i] = a[i * size.k + k];
    return out;
  }
  /// The largest distance of c from start + A B with rounded factors, in units of what float sums of k terms may be off.
  [[nodiscard]] double error(const std::vector<float>& c, bool with_rows, bool with_bias) const {
    double worst = 0;
    for (std::size_t i = 0; i < size.m; ++i)
      for (std::size_t j = 0; j < size.n; ++j) {
        double sum = (with_rows ? rows[i * size.n + j] : 0.0F) + (with_bias ? bias[j] : 0.0F), size_of = std::abs(sum);
        for (std::size_t k = 0; k < size.k; ++k) {
          const double term = static_cast<double>(rounded(a[i * size.k + k])) * rounded(b[k * size.n + j]);
          sum += term;
          size_of += std::abs(term);
        }
        const double allowed = static_cast<double>(size.k + 3) * 0x1p-24 * size_of;
        worst = std::max(worst, std::abs(c[i * size.n + j] - sum) / allowed);
      }
    return worst;
  }
};

template <bool Transposed>
std::vector<float> product(const problem& p, bool with_rows, bool with_bias) {
  const auto [m, n, k] = p.size;
  const std::vector<float> a = Transposed ? p.transposed_a() : p.a;
  std::vector<float> c(m * n, -7.0F);
  nn::bf16::product<Transposed>(m, n, k, a.data(), Transposed ? m : k, p.b.data(), n, with_rows ? p.rows.data() : nullptr, n,
                                with_bias ? p.bias.data() : nullptr, c.data(), n);
  return c;
}

}  // namespace

TEST_CASE("a product is that of the factors rounded to bfloat16, summed in float, on whatever it begins with") {
  for (const sizes& size : cases) {
    CAPTURE(size.m);
    CAPTURE(size.n);
    CAPTURE(size.k);
    const problem p{size};
    for (const bool with_rows : {false, true})
      for (const bool with_bias : {false, true}) {
        CHECK(p.error(product<false>(p, with_rows, with_bias), with_rows, with_bias) <= 1);
        CHECK(p.error(product<true>(p, with_rows, with_bias), with_rows, with_bias) <= 1);
        CHECK(p.error(product<false>(p, !with_rows, with_bias), with_rows, with_bias) > 100);  // what was forgotten would show
      }
  }
}

TEST_CASE("what a product is added to may be where it goes") {
  problem p{{33, 48, 40}};
  const std::vector<float> expected = product<true>(p, true, false);
  const std::vector<float> a = p.transposed_a();
  nn::bf16::product<true>(33, 48, 40, a.data(), 33, p.b.data(), 48, p.rows.data(), 48, nullptr, p.rows.data(), 48);
  CHECK(p.rows == expected);
}

TEST_CASE("a row of a product does not depend on how many rows there are, nor on its place") {
  const problem all{{100, 50, 70}};
  const std::vector<float> c = product<false>(all, true, true);
  for (const std::size_t first : {0U, 3U, 16U, 37U})
    for (const std::size_t count : {1U, 15U, 40U}) {
      std::vector<float> some(count * 50);
      nn::bf16::product<false>(count, 50, 70, all.a.data() + first * 70, 70, all.b.data(), 50, all.rows.data() + first * 50, 50,
                               all.bias.data(), some.data(), 50);
      CHECK(std::equal(some.begin(), some.end(), c.begin() + static_cast<std::ptrdiff_t>(first * 50)));
    }
}

#endif
