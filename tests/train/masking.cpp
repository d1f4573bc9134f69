#include "lacuna/train/masking.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "lacuna/core/errors.hpp"
#include "lacuna/core/random.hpp"
#include "lacuna/core/token.hpp"
#include "lacuna/train/batch_builder.hpp"

namespace train = lacuna::train;
using lacuna::token;

namespace {

struct archetype_generator {
  double uniform() { return 0.5; }
};
struct float_generator {
  float uniform();
};
struct no_units {
  double operator()(double, std::size_t, std::size_t) const { return 1; }
};

constexpr token mask = 9;
const std::vector<token> row{0, 1, 2, 3, 4, 5};

/// What a loss sees of one row: sum over the masked positions i of weight * (i + 1), which stands for the cross-entropies
/// of a model that does not look at the input. The ELBO of such a model is 1 + 2 + ... + N.
double loss_of(const lacuna::nn::example_batch& batch) {
  double sum = 0;
  for (std::size_t i = 0; i < batch.weights.size(); ++i)
    sum += static_cast<double>(batch.weights[i]) * static_cast<double>(i + 1);
  return sum;
}

struct moments {
  double mean = 0;
  double variance = 0;
  double error = 0;  ///< standard error of the mean
};

template <class F>
moments moments_of(std::size_t n, F f) {
  double sum = 0, squares = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double x = f();
    sum += x;
    squares += x * x;
  }
  moments m;
  m.mean = sum / static_cast<double>(n);
  m.variance = squares / static_cast<double>(n) - m.mean * m.mean;
  m.error = std::sqrt(m.variance / static_cast<double>(n));
  return m;
}

lacuna::random_stream stream(std::uint64_t step) { return {31, lacuna::stream_use::training, 0, step}; }

}  // namespace

static_assert(train::uniform_generator<lacuna::random_stream>);
static_assert(train::uniform_generator<archetype_generator>);
static_assert(!train::uniform_generator<float_generator>);
static_assert(!train::uniform_generator<const archetype_generator>);
static_assert(train::mask_weight<train::elbo_by_count> && train::mask_weight<train::elbo_by_rate> &&
              train::mask_weight<train::plain_weight>);
static_assert(!train::mask_weight<no_units>);

TEST_CASE("a masked position holds the mask, its weight and its target; the others are as they were") {
  train::masker<> masker{mask};
  train::batch_builder batch;
  auto random = stream(0);
  for (int i = 0; i < 100; ++i) {
    batch.clear();
    masker.add_row(row, random.uniform(), batch, random);
    const auto view = batch.view();
    const auto masked = static_cast<std::size_t>(std::count(view.inputs.begin(), view.inputs.end(), mask));
    REQUIRE(masked >= 1);
    for (std::size_t k = 0; k < row.size(); ++k) {
      CHECK(view.targets[k] == row[k]);
      if (view.inputs[k] == mask) {
        CHECK(view.weights[k] == static_cast<float>(6.0 / static_cast<double>(masked)));
      } else {
        CHECK(view.inputs[k] == row[k]);
        CHECK(view.weights[k] == 0);
      }
    }
    CHECK(batch.units() == 6);
  }
}

TEST_CASE("only eligible positions are masked, and N is their number") {
  train::masker<> masker{mask};
  train::batch_builder batch;
  auto random = stream(1);
  const std::vector<std::uint8_t> eligible{0, 1, 0, 0, 1, 0};
  std::array<int, 6> count{};
  for (int i = 0; i < 400; ++i) {
    batch.clear();
    masker.add_row(row, eligible, random.uniform(), batch, random);
    CHECK(batch.units() == 2);
    double total = 0;
    for (std::size_t k = 0; k < 6; ++k) {
      count[k] += batch.view().inputs[k] == mask ? 1 : 0;
      total += static_cast<double>(batch.view().weights[k]);
    }
    CHECK(total == doctest::Approx(2));
  }
  CHECK(count[0] + count[2] + count[3] + count[5] == 0);
  // The number of masks is 1 or 2 with equal chance, so a position is masked in 3/4 of the rows.
  CHECK(std::abs(count[1] - 300) < 4 * std::sqrt(400 * 0.75 * 0.25));
  CHECK(std::abs(count[4] - 300) < 4 * std::sqrt(400 * 0.75 * 0.25));
}

TEST_CASE("a row with a given level is masked in that share of its positions") {
  const std::vector<token> long_row(1000, 1);
  train::masker<> masker{mask};
  train::batch_builder batch;
  auto random = stream(2);
  for (const double level : {0.1, 0.5, 0.9}) {
    batch.clear();
    for (int i = 0; i < 10; ++i) masker.add_row(long_row, level, batch, random);
    const auto view = batch.view();
    const auto masked = static_cast<double>(std::count(view.inputs.begin(), view.inputs.end(), mask));
    CHECK(std::abs(masked - 10'000 * level) < 4 * std::sqrt(10'000 * level * (1 - level)));
  }
}

TEST_CASE("with uniform levels every number of masks from 1 to N is equally likely") {
  train::masker<> masker{mask};
  train::batch_builder batch;
  auto random = stream(3);
  constexpr int n = 12'000;
  std::array<int, 7> count{};
  for (int i = 0; i < n; ++i) {
    batch.clear();
    masker.add_row(row, random.uniform(), batch, random);
    const auto view = batch.view();
    ++count[static_cast<std::size_t>(std::count(view.inputs.begin(), view.inputs.end(), mask))];
  }
  CHECK(count[0] == 0);
  for (std::size_t k = 1; k <= 6; ++k) CHECK(std::abs(count[k] - n / 6) < 4 * std::sqrt(n / 6.0 * 5 / 6));
}

TEST_CASE("both ELBO weights have the ELBO as expectation, by count with less variance, and the plain one has not") {
  constexpr std::size_t n = 40'000;
  const double elbo = 1 + 2 + 3 + 4 + 5 + 6;
  const auto estimate = [&](auto weight, std::uint64_t step) {
    train::masker masker{mask, weight};
    train::batch_builder batch;
    auto random = stream(step);
    return moments_of(n, [&] {
      batch.clear();
      masker.add_row(row, random.uniform(), batch, random);
      return loss_of(batch.view());
    });
  };
  const moments by_count = estimate(train::elbo_by_count{}, 4);
  CHECK(std::abs(by_count.mean - elbo) < 4 * by_count.error);
  // 1 / t has no finite variance over all levels, so rows whose level came out below 0.05 are left out.
  train::masker by_rate{mask, train::elbo_by_rate{}};
  train::batch_builder batch;
  auto random = stream(5);
  std::size_t low = 0;
  const moments rate = moments_of(n, [&] {
    for (;;) {
      batch.clear();
      by_rate.add_row(row, random.uniform(), batch, random);
      const double weight = *std::max_element(batch.view().weights.begin(), batch.view().weights.end());
      if (6.0 / 7 / weight >= 0.05) return loss_of(batch.view());
      ++low;
    }
  });
  // Given t and a mask, the expectation is 6/7 * elbo / (1 - (1 - t)^6); integrated over the accepted t in (0.05, 1) that is
  // 6/7 * elbo * 0.95 / (P(mask and t >= 0.05) = 0.95 - 0.95^7 / 7).
  const double expected = 6.0 / 7 * elbo * 0.95 / (0.95 - std::pow(0.95, 7) / 7);
  CHECK(std::abs(rate.mean - expected) < 4 * rate.error);
  CHECK(low > 0);
  CHECK(rate.variance > by_count.variance);

  const moments plain = estimate(train::plain_weight{}, 6);
  CHECK(std::abs(plain.mean - elbo) > 20 * plain.error);  // 3.5 masks of 3.5 nats
  CHECK(std::abs(plain.mean - 3.5 * 3.5) < 4 * plain.error);
}

TEST_CASE("the plain weight counts the masks in its units") {
  train::masker masker{mask, train::plain_weight{}};
  train::batch_builder batch;
  auto random = stream(7);
  for (int i = 0; i < 50; ++i) masker.add_row(row, 0.5, batch, random);
  const auto view = batch.view();
  CHECK(batch.units() == static_cast<double>(std::count(view.inputs.begin(), view.inputs.end(), mask)));
}

TEST_CASE("levels are uniform whichever way they are drawn") {
  const auto mean_and_square = [](auto policy, std::uint64_t step) {
    auto random = stream(step);
    std::vector<double> levels(7);
    double sum = 0, squares = 0;
    for (int i = 0; i < 3000; ++i) {
      policy.fill(levels, random);
      for (const double t : levels) {
        REQUIRE(t >= 0);
        REQUIRE(t <= 1);
        sum += t;
        squares += t * t;
      }
    }
    return std::array<double, 2>{sum / 21'000, squares / 21'000};
  };
  // The deviation of t is 0.289 and of t^2 0.298; correlated levels can only count as fewer, at worst as 3000.
  for (const auto& found : {mean_and_square(train::independent_levels{}, 8), mean_and_square(train::stratified_levels{}, 9),
                            mean_and_square(train::antithetic_levels{}, 10)}) {
    CHECK(std::abs(found[0] - 1.0 / 2) < 4 * 0.289 / std::sqrt(3000.0));
    CHECK(std::abs(found[1] - 1.0 / 3) < 4 * 0.298 / std::sqrt(3000.0));
  }
}

TEST_CASE("stratified levels cover the interval evenly in every batch, antithetic ones balance, independent ones do neither") {
  std::vector<double> levels(8);
  auto random = stream(11);
  std::size_t uncovered = 0, unbalanced = 0;
  for (int i = 0; i < 50; ++i) {
    train::stratified_levels{}.fill(levels, random);
    std::array<int, 8> cells{};
    for (const double t : levels) ++cells[static_cast<std::size_t>(t * 8)];
    CHECK(*std::max_element(cells.begin(), cells.end()) <= 2);  // two only when rounding moves one over an edge
    CHECK(std::count(cells.begin(), cells.end(), 1) >= 6);
    train::antithetic_levels{}.fill(levels, random);
    for (std::size_t b = 0; b < 8; b += 2) CHECK(levels[b] + levels[b + 1] == doctest::Approx(1));
    train::independent_levels{}.fill(levels, random);
    cells.fill(0);
    for (const double t : levels) ++cells[static_cast<std::size_t>(t * 8)];
    uncovered += std::count(cells.begin(), cells.end(), 1) < 6 ? 1 : 0;
    unbalanced += std::abs(levels[0] + levels[1] - 1) > 1e-3 ? 1 : 0;
  }
  CHECK(uncovered > 25);
  CHECK(unbalanced > 25);
}

TEST_CASE("the least generator there is will do") {
  archetype_generator half;
  std::vector<double> levels(3);
  train::stratified_levels{}.fill(levels, half);
  train::masker<> masker{mask};
  train::batch_builder batch;
  masker.add_row(row, 0.75, batch, half);
  CHECK(std::count(batch.view().inputs.begin(), batch.view().inputs.end(), mask) == 6);
}

TEST_CASE("a row in which nothing may be masked, and flags of another length, are refused") {
  train::masker<> masker{mask};
  train::batch_builder batch;
  auto random = stream(12);
  CHECK_THROWS_WITH_AS(masker.add_row({}, 0.5, batch, random), doctest::Contains("no eligible position among 0"),
                       lacuna::invalid_argument);
  CHECK_THROWS_WITH_AS(masker.add_row(row, std::vector<std::uint8_t>(6), 0.5, batch, random),
                       doctest::Contains("no eligible position"), lacuna::invalid_argument);
  CHECK_THROWS_WITH_AS(masker.add_row(row, std::vector<std::uint8_t>(5), 0.5, batch, random),
                       doctest::Contains("5 flags, expected 6"), lacuna::invalid_argument);
  CHECK(batch.rows() == 0);
}
