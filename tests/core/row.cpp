#include "lacuna/core/row.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "lacuna/core/random.hpp"

using namespace lacuna;

namespace {

constexpr float none = -std::numeric_limits<float>::infinity();
constexpr float all = std::numeric_limits<float>::infinity();
constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();

/// Log-probabilities of a row of logits; empty if the row is unusable.
std::vector<double> of(const std::vector<float>& logits, const std::vector<token>& forbidden = {}) {
  std::vector<double> log_p(logits.size());
  if (!log_softmax(logits, forbidden, log_p)) return {};
  double sum = 0;
  for (const double v : log_p) sum += std::exp(v);
  CHECK(sum == doctest::Approx(1).epsilon(1e-14));
  return log_p;
}

std::vector<double> logs(const std::vector<double>& p) {
  std::vector<double> out;
  for (const double v : p) out.push_back(std::log(v));
  return out;
}

}  // namespace

TEST_CASE("the softmax of small logits is what the definition says") {
  const std::vector<double> log_p = of({0, 1, 2});
  const double z = 1 + std::exp(1.0) + std::exp(2.0);
  for (std::size_t v = 0; v < 3; ++v) CHECK(log_p[v] == doctest::Approx(static_cast<double>(v) - std::log(z)).epsilon(1e-15));
}

TEST_CASE("a shift of all logits changes nothing, up to the largest floats") {
  const std::vector<double> expected = of({0, 1, 2});
  for (const float shift : {700.0F, -700.0F, 100000.0F, -100000.0F}) {
    const std::vector<double> log_p = of({shift, shift + 1, shift + 2});
    for (std::size_t v = 0; v < 3; ++v) CHECK(log_p[v] == doctest::Approx(expected[v]).epsilon(1e-12));
  }
  constexpr float largest = std::numeric_limits<float>::max();
  CHECK(of({largest, largest})[0] == doctest::Approx(std::log(0.5)));
  CHECK(of({-largest, -largest})[1] == doctest::Approx(std::log(0.5)));
  const std::vector<double> extreme = of({largest, -largest, 0});
  CHECK(extreme[0] == 0);
  CHECK(std::exp(extreme[1]) == 0);
  CHECK(std::isfinite(extreme[1]));
}

TEST_CASE("logits of 700 and -700 side by side lose nothing but what is too small to see") {
  const std::vector<double> log_p = of({700, -700, 699});
  CHECK(log_p[1] == doctest::Approx(-1400 - std::log(1 + std::exp(-1.0))));
  CHECK(log_p[0] == doctest::Approx(-std::log(1 + std::exp(-1.0))));
}

TEST_CASE("forbidden tokens are removed before the softmax, whatever their logits") {
  const std::vector<double> log_p = of({5, 0, 0, all}, {0, 3});
  CHECK(log_p[0] == -infinity);
  CHECK(log_p[3] == -infinity);
  CHECK(log_p[1] == doctest::Approx(std::log(0.5)));
  CHECK(of({not_a_number, 1}, {0})[1] == 0);
}

TEST_CASE("NaN counts as impossible") {
  const std::vector<double> log_p = of({not_a_number, 0, not_a_number, 0});
  CHECK(log_p[0] == -infinity);
  CHECK(log_p[1] == doctest::Approx(std::log(0.5)));
}

TEST_CASE("infinite logits share all the mass") {
  const std::vector<double> log_p = of({all, 3, all, not_a_number});
  CHECK(log_p[0] == doctest::Approx(std::log(0.5)));
  CHECK(log_p[2] == doctest::Approx(std::log(0.5)));
  CHECK(log_p[1] == -infinity);
  CHECK(log_p[3] == -infinity);
}

TEST_CASE("a row without mass is unusable and says so") {
  CHECK(of({none, none, none}).empty());
  CHECK(of({not_a_number, not_a_number}).empty());
  CHECK(of({none, not_a_number}).empty());
  CHECK(of({7, none}, {0}).empty());
  CHECK(of({all, all}, {0, 1}).empty());
  CHECK(of({}).empty());
}

TEST_CASE("one possible token has all the mass") {
  const std::vector<double> log_p = of({none, -1e30F, none});
  CHECK(log_p[1] == 0);
  CHECK(entropy(log_p) == 0);
}

TEST_CASE("sums over a large vocabulary keep double precision") {
  const std::size_t vocabulary = 262144;
  const std::vector<double> log_p = of(std::vector<float>(vocabulary, 3));
  CHECK(log_p[17] == doctest::Approx(-std::log(262144.0)).epsilon(1e-15));
  CHECK(entropy(log_p) == doctest::Approx(std::log(262144.0)).epsilon(1e-10));
}

TEST_CASE("normalising a normalised row changes nothing") {
  random_stream rng(1, stream_use::other);
  std::vector<double> row(50);
  for (double& v : row) v = 10 * rng.gumbel();
  REQUIRE(normalize_row(row));
  std::vector<double> again = row;
  REQUIRE(normalize_row(again));
  for (std::size_t v = 0; v < row.size(); ++v) CHECK(again[v] == doctest::Approx(row[v]).epsilon(1e-14));
}

TEST_CASE("entropy in nats") {
  CHECK(entropy(logs({0.25, 0.25, 0.25, 0.25})) == doctest::Approx(std::log(4.0)));
  CHECK(entropy(logs({0.5, 0.5, 0, 0})) == doctest::Approx(std::log(2.0)));
  CHECK(entropy(logs({1, 0})) == 0);
  CHECK(entropy(logs({0.9, 0.1})) == doctest::Approx(-0.9 * std::log(0.9) - 0.1 * std::log(0.1)));
}

TEST_CASE("KL divergence is zero between equals, positive between others, infinite where mass is missing") {
  const std::vector<double> p = logs({0.5, 0.5, 0});
  const std::vector<double> q = logs({0.9, 0.1, 0});
  CHECK(kl_divergence(p, p) == 0);
  CHECK(kl_divergence(p, q) == doctest::Approx(0.5 * std::log(0.5 / 0.9) + 0.5 * std::log(0.5 / 0.1)));
  CHECK(kl_divergence(q, p) != doctest::Approx(kl_divergence(p, q)));
  CHECK(kl_divergence(p, logs({1, 0, 0})) == infinity);
  CHECK(kl_divergence(logs({1, 0, 0}), p) == doctest::Approx(std::log(2.0)));
}

TEST_CASE("exactly the statistics asked for are computed") {
  constexpr auto everything = statistics::confidence | statistics::margin | statistics::entropy;
  const std::vector<double> log_p = logs({0.2, 0.5, 0.3});
  const row_statistics s = statistics_of<everything>(log_p);
  CHECK(s.confidence == doctest::Approx(0.5));
  CHECK(s.margin == doctest::Approx(0.2));
  CHECK(s.entropy == doctest::Approx(entropy(log_p)));
  const row_statistics only = statistics_of<statistics::entropy>(log_p);
  CHECK(std::isnan(only.confidence));
  CHECK(std::isnan(only.margin));
  CHECK(only.entropy == s.entropy);
  CHECK(std::isnan(statistics_of<statistics::none>(log_p).entropy));
  CHECK(std::isnan(statistics_of<statistics::rows>(log_p).confidence));
}

TEST_CASE("the margin of a tie is zero, that of a single possible token is one") {
  CHECK(statistics_of<statistics::margin>(logs({0.4, 0.2, 0.4})).margin == 0);
  CHECK(statistics_of<statistics::margin>(logs({0, 1, 0})).margin == 1);
  CHECK(statistics_of<statistics::margin>(logs({1})).margin == 1);
}

TEST_CASE("argmax goes to the lowest index of a tie") {
  CHECK(argmax(logs({0.2, 0.4, 0.4})) == 1);
  CHECK(argmax(logs({1})) == 0);
  CHECK(argmax(logs({0, 0, 1})) == 2);
}
