#include "lacuna/core/random.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

#include "tests/support/statistics_test.hpp"

using namespace lacuna;
using lacuna::testing::chi_square;
using lacuna::testing::chi_square_limit;
using lacuna::testing::four_sigma;

namespace {

using words4 = std::array<std::uint64_t, 4>;
using words2 = std::array<std::uint64_t, 2>;

/// Upper half of a 128-bit product, from 32-bit halves.
std::uint64_t high_product(std::uint64_t a, std::uint64_t b) {
  const std::uint64_t a_low = a & 0xffffffffU;
  const std::uint64_t a_high = a >> 32U;
  const std::uint64_t b_low = b & 0xffffffffU;
  const std::uint64_t b_high = b >> 32U;
  const std::uint64_t middle = a_high * b_low + ((a_low * b_low) >> 32U);
  const std::uint64_t other = a_low * b_high + (middle & 0xffffffffU);
  return a_high * b_high + (middle >> 32U) + (other >> 32U);
}

/// Philox4x64-10 written down from the paper, to hold the library's generator against.
words4 philox(words4 x, words2 key) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t m0 = 0xD2E7470EE14C6C93U;
    const std::uint64_t m1 = 0xCA5A826395121157U;
    x = {high_product(m1, x[2]) ^ x[1] ^ key[0], m1 * x[2], high_product(m0, x[0]) ^ x[3] ^ key[1], m0 * x[0]};
    key[0] += 0x9E3779B97F4A7C15U;
    key[1] += 0xBB67AE8584CAA73BU;
  }
  return x;
}

constexpr std::size_t many = 100000;

random_stream some(std::uint64_t row = 0) { return {20260101, stream_use::other, row}; }

}  // namespace

TEST_CASE("Random123 and this file's Philox4x64-10 give the published known answers") {
  struct known_answer {
    words4 counter;
    words2 key;
    words4 expected;
  };
  constexpr std::uint64_t ones = ~std::uint64_t{0};
  // kat_vectors of Random123: all zeros, all ones, digits of pi.
  const known_answer answers[] = {
      {{0, 0, 0, 0}, {0, 0}, {0x16554d9eca36314cU, 0xdb20fe9d672d0fdcU, 0xd7e772cee186176bU, 0x7e68b68aec7ba23bU}},
      {{ones, ones, ones, ones},
       {ones, ones},
       {0x87b092c3013fe90bU, 0x438c3c67be8d0224U, 0x9cc7d7c69cd777b6U, 0xa09caebf594f0ba0U}},
      {{0x243f6a8885a308d3U, 0x13198a2e03707344U, 0xa4093822299f31d0U, 0x082efa98ec4e6c89U},
       {0x452821e638d01377U, 0xbe5466cf34e90c6cU},
       {0xa528f45403e61d95U, 0x38c72dbd566e9788U, 0xa5a1610e72fd18b5U, 0x57bd43b5e52b7fe6U}}};
  for (const known_answer& a : answers) {
    CHECK(philox(a.counter, a.key) == a.expected);
    r123::Philox4x64::ctr_type counter{};
    r123::Philox4x64::key_type key{};
    for (std::size_t i = 0; i < 4; ++i) counter[i] = a.counter[i];
    for (std::size_t i = 0; i < 2; ++i) key[i] = a.key[i];
    const auto got = r123::Philox4x64{}(counter, key);
    for (std::size_t i = 0; i < 4; ++i) CHECK(got[i] == a.expected[i]);
  }
}

TEST_CASE("a stream is Philox keyed by seed and use, counting from zero at its position, step and row") {
  random_stream places(1, stream_use::other);
  for (int repeat = 0; repeat < 50; ++repeat) {
    const std::uint64_t seed = places.bits();
    const std::uint64_t row = places.bits();
    const std::uint64_t step = places.bits();
    const std::uint64_t position = places.bits();
    const auto use = static_cast<stream_use>(places.below(5));
    random_stream stream(seed, use, row, step, position);
    for (std::uint64_t block = 0; block < 3; ++block)
      for (const std::uint64_t word : philox({block, position, step, row}, {seed, static_cast<std::uint64_t>(use)}))
        CHECK(stream.bits() == word);
  }
}

// Results of whole runs depend on these numbers. They change only if the generator or the way streams are keyed changes, and
// then every user's seeds mean something else: a new major version.
TEST_CASE("golden bits of several streams") {
  const auto check = [](random_stream stream, std::array<std::uint64_t, 6> expected) {
    for (const std::uint64_t e : expected) CHECK(stream.bits() == e);
  };
  check({0, stream_use::draw}, {0x16554d9eca36314cU, 0xdb20fe9d672d0fdcU, 0xd7e772cee186176bU, 0x7e68b68aec7ba23bU,
                                0x02f4ba6408e4d89bU, 0x3dd62b0b9ca8c5b2U});
  check({1, stream_use::order, 2, 3, 4}, {0x861493dc9fc061fcU, 0x40bbf3aa234a38ebU, 0xf25805c1924aff72U, 0x8c8165e75f94e6f4U,
                                          0x5df3e948d63061b4U, 0xe32f79914072c2b4U});
  check({~std::uint64_t{0}, stream_use::training, ~std::uint64_t{0}, 0, 7},
        {0x337ab9c09630be18U, 0x6ddef047305339beU, 0x93a530a31ac71aa9U, 0xebc022797a2203cbU, 0x854944b0d3024b19U,
         0xa8c4ad5a5e19bed6U});
  const step_random step{42, stream_use::remask, 5, 6};
  check(step.whole(), {0xfa8bec09b073c4eeU, 0xcc15cc27359454e2U, 0x3f4dabf11a41cbf7U, 0xf03a86db69bf1066U, 0xaf07b288c275d3e5U,
                       0xb851786f5cdce445U});
  check(step.at(3), {0x106f7e365e62095bU, 0x82fd64dd3531caefU, 0x5dd257e3fc004375U, 0xb4e6e3185848908fU, 0xca1579ca547633a4U,
                     0xaec6010b12fcd832U});
}

TEST_CASE("golden transforms") {
  random_stream r(2026, stream_use::other);
  CHECK(r.uniform() == 0x1.faae67ee7d4eep-1);
  CHECK(r.uniform_positive() == 0x1.54c035ac19539p-1);
  // Logarithms may differ in the last bit from one library to the next.
  CHECK(r.gumbel() == doctest::Approx(0x1.4a0ddd7c56ebep-1).epsilon(1e-14));
  CHECK(r.gumbel() == doctest::Approx(-0x1.94c69b2aead62p+0).epsilon(1e-14));
  CHECK(r.below(1000) == 831);
  std::vector<int> v{0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  r.shuffle(std::span<int>(v));
  CHECK(v == std::vector<int>{6, 1, 8, 3, 4, 5, 7, 9, 0, 2});
}

TEST_CASE("a copy replays the rest of a stream, wherever it is taken") {
  for (int skip = 0; skip < 9; ++skip) {
    random_stream stream = some();
    for (int i = 0; i < skip; ++i) stream.bits();
    random_stream copy = stream;
    for (int i = 0; i < 10; ++i) CHECK(copy.bits() == stream.bits());
  }
}

TEST_CASE("streams of different seeds, uses, rows, steps and positions are different") {
  std::set<std::uint64_t> first;
  std::size_t streams = 0;
  for (std::uint64_t seed = 0; seed < 4; ++seed)
    for (std::uint64_t use = 0; use < 5; ++use)
      for (std::uint64_t row = 0; row < 4; ++row)
        for (std::uint64_t step = 0; step < 4; ++step)
          for (std::uint64_t position = 0; position < 4; ++position) {
            first.insert(random_stream(seed, static_cast<stream_use>(use), row, step, position).bits());
            ++streams;
          }
  CHECK(first.size() == streams);
}

TEST_CASE("streams of neighbouring places are uncorrelated") {
  // The product of two independent numbers uniform on (-1/2, 1/2) has mean 0 and variance 1/144.
  const auto correlation = [](auto stream_at) {
    double sum = 0;
    for (std::uint64_t i = 0; i < many; ++i)
      sum += (stream_at(i).uniform() - 0.5) * (stream_at(i + 1).uniform() - 0.5) / static_cast<double>(many);
    return sum;
  };
  const double limit = four_sigma(1.0 / 144, many);
  CHECK(std::abs(correlation([](std::uint64_t i) { return random_stream(i, stream_use::draw); })) < limit);
  CHECK(std::abs(correlation([](std::uint64_t i) { return random_stream(0, stream_use::draw, i); })) < limit);
  CHECK(std::abs(correlation([](std::uint64_t i) { return random_stream(0, stream_use::draw, 0, i); })) < limit);
  CHECK(std::abs(correlation([](std::uint64_t i) { return random_stream(0, stream_use::draw, 0, 0, i); })) < limit);
  // Negative control: the same stream twice.
  CHECK(correlation([](std::uint64_t) { return random_stream(7, stream_use::draw); }) > limit);
}

TEST_CASE("the stream of a step is that of no position") {
  const step_random step{1, stream_use::order, 2, 3};
  random_stream whole = step.whole();
  const std::uint64_t first = whole.bits();
  for (std::size_t position = 0; position < 1000; ++position) CHECK(step.at(position).bits() != first);
}

TEST_CASE("uniform numbers lie in [0, 1), positive ones in (0, 1], with the moments they should have") {
  random_stream rng = some();
  double mean = 0;
  double variance = 0;
  double positive_mean = 0;
  for (std::size_t i = 0; i < many; ++i) {
    const double u = rng.uniform();
    CHECK_MESSAGE((u >= 0 && u < 1), u);
    mean += u / static_cast<double>(many);
    variance += (u - 0.5) * (u - 0.5) / static_cast<double>(many);
    const double v = rng.uniform_positive();
    CHECK_MESSAGE((v > 0 && v <= 1), v);
    positive_mean += v / static_cast<double>(many);
  }
  CHECK(std::abs(mean - 0.5) < four_sigma(1.0 / 12, many));
  CHECK(std::abs(positive_mean - 0.5) < four_sigma(1.0 / 12, many));
  CHECK(std::abs(variance - 1.0 / 12) < four_sigma(1.0 / 180, many));  // E (u - 1/2)^4 - 1/144 = 1/180
}

TEST_CASE("bernoulli keeps its probability, also where it is 0, 1 or no number") {
  random_stream rng = some(1);
  std::size_t yes = 0;
  for (std::size_t i = 0; i < many; ++i) yes += rng.bernoulli(0.003) ? 1U : 0U;
  CHECK(std::abs(static_cast<double>(yes) / static_cast<double>(many) - 0.003) < four_sigma(0.003 * 0.997, many));
  for (int i = 0; i < 1000; ++i) {
    CHECK_FALSE(rng.bernoulli(0));
    CHECK_FALSE(rng.bernoulli(-1));
    CHECK_FALSE(rng.bernoulli(std::nan("")));
    CHECK(rng.bernoulli(1));
    CHECK(rng.bernoulli(2));
  }
}

TEST_CASE("below(n) is uniform on 0 to n - 1") {
  for (const std::size_t n : {1U, 2U, 6U, 7U, 64U, 1000U}) {
    random_stream rng = some(n);
    std::vector<std::size_t> counts(n);
    for (std::size_t i = 0; i < many; ++i) ++counts.at(rng.below(n));
    if (n > 1) CHECK(chi_square(counts, std::vector<double>(n, 1.0 / static_cast<double>(n))) < chi_square_limit(n - 1));
  }
}

TEST_CASE("below(n) is unbiased where a plain remainder is not") {
  const std::uint64_t quarter = std::uint64_t{1} << 62U;
  const std::uint64_t n = 3 * quarter;
  random_stream rng = some(2);
  random_stream control = some(3);
  std::size_t low = 0;
  std::size_t low_remainder = 0;
  for (std::size_t i = 0; i < many; ++i) {
    const std::uint64_t x = rng.below(n);
    CHECK_MESSAGE(x < n, x);
    low += x < quarter ? 1U : 0U;
    low_remainder += control.bits() % n < quarter ? 1U : 0U;
  }
  const double limit = four_sigma(2.0 / 9, many);
  CHECK(std::abs(static_cast<double>(low) / static_cast<double>(many) - 1.0 / 3) < limit);
  CHECK(std::abs(static_cast<double>(low_remainder) / static_cast<double>(many) - 1.0 / 3) > 10 * limit);
}

TEST_CASE("Gumbel numbers are finite and have the moments they should have") {
  random_stream rng = some(4);
  const double gamma = 0.57721566490153286;
  const double variance = std::acos(-1.0) * std::acos(-1.0) / 6;
  double mean = 0;
  double spread = 0;
  for (std::size_t i = 0; i < many; ++i) {
    const double g = rng.gumbel();
    CHECK_MESSAGE(std::isfinite(g), g);
    mean += g / static_cast<double>(many);
    spread += (g - gamma) * (g - gamma) / static_cast<double>(many);
  }
  CHECK(std::abs(mean - gamma) < four_sigma(variance, many));
  CHECK(std::abs(spread - variance) < four_sigma(4.4 * variance * variance, many));  // kurtosis 5.4
}

TEST_CASE("the largest of log p + Gumbel is a draw from p") {
  const std::vector<double> p{0.5, 0.3, 0.15, 0.05};
  random_stream rng = some(5);
  std::vector<std::size_t> counts(4);
  for (std::size_t i = 0; i < many; ++i) {
    std::array<double, 4> score{};
    for (std::size_t v = 0; v < 4; ++v) score[v] = std::log(p[v]) + rng.gumbel();
    ++counts[static_cast<std::size_t>(std::max_element(score.begin(), score.end()) - score.begin())];
  }
  CHECK(chi_square(counts, p) < chi_square_limit(3));
}

TEST_CASE("a shuffle gives every order equally often; the naive one does not") {
  const auto index = [](const std::array<int, 4>& v) {
    std::array<int, 4> order{0, 1, 2, 3};
    for (std::size_t k = 0;; ++k, std::next_permutation(order.begin(), order.end()))
      if (order == v) return k;
  };
  random_stream rng = some(6);
  std::vector<std::size_t> counts(24);
  std::vector<std::size_t> naive(24);
  for (std::size_t i = 0; i < many; ++i) {
    std::array<int, 4> v{0, 1, 2, 3};
    rng.shuffle(std::span<int>(v));
    ++counts[index(v)];
    std::array<int, 4> w{0, 1, 2, 3};
    for (std::size_t k = 0; k < 4; ++k) std::swap(w[k], w[rng.below(4)]);
    ++naive[index(w)];
  }
  const std::vector<double> uniform(24, 1.0 / 24);
  CHECK(chi_square(counts, uniform) < chi_square_limit(23));
  CHECK(chi_square(naive, uniform) > chi_square_limit(23));
}

TEST_CASE("shuffling nothing or one value uses no random number") {
  random_stream rng = some(7);
  random_stream untouched = rng;
  std::vector<int> none;
  std::vector<int> one{5};
  rng.shuffle(std::span<int>(none));
  rng.shuffle(std::span<int>(one));
  CHECK(one[0] == 5);
  CHECK(rng.bits() == untouched.bits());
}
