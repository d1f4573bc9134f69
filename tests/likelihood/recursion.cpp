#include "lacuna/likelihood/recursion.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "lacuna/core/random.hpp"

using namespace lacuna;

namespace {

/// In plain numbers: F(k, m) as a sum over the first refused track.
struct in_plain_numbers {
  std::vector<double> a, b, l;  // of tracks 1 … e

  [[nodiscard]] double f(std::size_t k, std::size_t m) const {
    const std::size_t e = a.size();
    double sum = 0;
    double accepted = 1;
    for (std::size_t j = k + 1; j <= e; ++j) {
      sum += accepted * b[j - 1] * (m == 1 || j == e ? l[j - 1] : f(j, m - 1));
      accepted *= a[j - 1];
    }
    return sum + accepted * l[e - 1];
  }
};

std::vector<double> logs(const std::vector<double>& x) {
  std::vector<double> out;
  for (const double v : x) out.push_back(std::log(v));
  return out;
}

}  // namespace

TEST_CASE("the recursion in logarithms is the sum over the first refused track, for any window and number of verifications") {
  random_stream rng(3, stream_use::other);
  std::vector<double> scratch;
  for (std::size_t w = 1; w <= 6; ++w)
    for (std::size_t n = 1; n <= 8; ++n)
      for (const double zeros : {0.0, 0.3}) {
        in_plain_numbers truth;
        for (auto* x : {&truth.a, &truth.b, &truth.l})
          for (std::size_t k = 0; k < w; ++k) x->push_back(rng.bernoulli(zeros) ? 0 : rng.uniform());
        CAPTURE(w);
        CAPTURE(n);
        const double got = likelihood::speculative_recursion(logs(truth.a), logs(truth.b), logs(truth.l), n, scratch);
        CHECK(std::exp(got) == doctest::Approx(truth.f(0, n)).epsilon(1e-12));
      }
}

TEST_CASE("more verifications than tracks are as many as tracks, however many") {
  std::vector<double> scratch;
  const std::vector<double> x{-1, -2, -0.5};
  const double three = likelihood::speculative_recursion(x, x, x, 3, scratch);
  CHECK(likelihood::speculative_recursion(x, x, x, static_cast<std::size_t>(-1), scratch) == three);
  CHECK(likelihood::speculative_recursion(x, x, x, 2, scratch) != three);
}

TEST_CASE("the recursion does not underflow where the numbers would") {
  std::vector<double> scratch;
  const std::vector<double> small(400, -10.0);
  std::vector<double> after(400);
  for (std::size_t j = 0; j < 400; ++j) after[j] = -10.0 * static_cast<double>(399 - j);
  const std::vector<double> nothing(400, -infinity);
  CHECK(likelihood::speculative_recursion(small, nothing, after, 2, scratch) == doctest::Approx(-4000));
  // every path gives each track e^-10 for its own: 2^k of them before the first draft that is new
  CHECK(likelihood::speculative_recursion(nothing, small, after, 1, scratch) == doctest::Approx(-4000));
  CHECK(likelihood::speculative_recursion(nothing, nothing, after, 3, scratch) == -infinity);
}
