#include "lacuna/likelihood/bound.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "lacuna/core/random.hpp"

using namespace lacuna;
using likelihood::bound;

TEST_CASE("bits per token and perplexity are those of a code for equally likely tokens") {
  bound b;
  b.nats = -10 * std::log(8.0);
  b.tokens = 10;
  b.standard_error = 0.5;
  CHECK(b.bits_per_token() == doctest::Approx(3));
  CHECK(b.perplexity() == doctest::Approx(8));
  CHECK(b.bits_per_token_error() == doctest::Approx(0.05 / std::log(2.0)));
  CHECK(b.perplexity_error() == doctest::Approx(8 * 0.05));
}

TEST_CASE("bounds of several sequences add up, their errors in squares") {
  bound all;
  bound one;
  one.nats = -3;
  one.tokens = 2;
  one.standard_error = 3;
  one.cost.of(purpose::draft) = {1, 5};
  all += one;
  one.nats = -4;
  one.standard_error = 4;
  all += one;
  CHECK(all.nats == -7);
  CHECK(all.tokens == 4);
  CHECK(all.standard_error == 5);
  CHECK(all.cost.of(purpose::draft) == nfe::count{2, 10});
}

TEST_CASE("a rate of no tokens is refused") {
  CHECK_THROWS_WITH_AS(static_cast<void>(bound{}.bits_per_token()),
                       "likelihood::bound: a rate of 0 tokens, expected at least 1", invalid_argument);
}

TEST_CASE("the standard error of a mean is the spread of such means") {
  random_stream rng(5, stream_use::other);
  std::vector<double> means;
  double claimed = 0;
  for (std::size_t r = 0; r < 2000; ++r) {
    std::vector<double> x(10);
    for (double& v : x) v = 3 * rng.uniform();
    const bound b = likelihood::mean_of(x);
    means.push_back(b.nats);
    claimed += b.standard_error * b.standard_error / 2000;
  }
  CHECK(std::abs(likelihood::mean_of(means).nats - 1.5) < 0.03);
  // a variance of 9/12/10, known to 1 / √1000
  CHECK(std::abs(claimed / 0.075 - 1) < 0.1);
  CHECK(std::abs(likelihood::mean_of(means).standard_error * std::sqrt(2000.0 / 0.075) - 1) < 0.1);
}

TEST_CASE("one estimate has no standard error, nor have estimates that are not finite") {
  CHECK(std::isnan(likelihood::mean_of(std::vector<double>{2}).standard_error));
  const bound b = likelihood::mean_of(std::vector<double>{2, -std::numeric_limits<double>::infinity()});
  CHECK(b.nats == -std::numeric_limits<double>::infinity());
  CHECK(std::isnan(b.standard_error));
}
