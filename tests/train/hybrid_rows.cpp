#include "lacuna/train/hybrid_rows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <span>
#include <vector>

#include <doctest/doctest.h>

#include "lacuna/train/trainer.hpp"

namespace {

using namespace lacuna;

/// Rows of five: the number of the row five times.
struct counting {
  token next = 0;
  std::vector<token> row = std::vector<token>(5);
  std::span<const token> operator()(random_stream&) {
    std::fill(row.begin(), row.end(), next++);
    return row;
  }
};
static_assert(train::batch_source<train::hybrid_rows<counting>>);

train::hybrid_batch made(std::size_t rows, std::uint64_t seed, std::size_t step) {
  train::hybrid_rows source{counting{}, rows};
  train::hybrid_batch batch;
  random_stream random{seed, stream_use::training, 0, step};
  source(step, batch, random);
  return batch;
}

}  // namespace

TEST_CASE("the batches of hybrid_rows depend on seed and step alone") {
  const auto orders = [](const train::hybrid_batch& b) {
    return std::vector<std::size_t>(b.view().orders.begin(), b.view().orders.end());
  };
  CHECK(orders(made(8, 1, 3)) == orders(made(8, 1, 3)));
  CHECK(orders(made(8, 1, 3)) != orders(made(8, 1, 4)));
  CHECK(orders(made(8, 1, 3)) != orders(made(8, 2, 3)));
}

TEST_CASE("hybrid_rows draws every order equally often and every number of revealed tokens") {
  // 20000 draws of 120 orders and 5 numbers: counts have standard deviations 12.9 and below 57; five of them are allowed.
  std::map<std::vector<std::size_t>, std::size_t> orders;
  std::vector<std::size_t> revealed(5);
  const train::hybrid_batch batch = made(20000, 1, 0);
  for (std::size_t b = 0; b < batch.rows(); ++b) {
    const auto order = batch.view().orders.subspan(batch.view().offsets[b], 5);
    ++orders[{order.begin(), order.end()}];
    ++revealed.at(batch.view().revealed[b]);
  }
  CHECK(orders.size() == 120);
  for (const auto& entry : orders) CHECK(std::abs(static_cast<double>(entry.second) - 20000.0 / 120) < 65);
  for (const std::size_t n : revealed) CHECK(std::abs(static_cast<double>(n) - 4000) < 285);
}

TEST_CASE("levels spread over the batch give every number of revealed tokens in every batch, and each row a uniform one") {
  std::vector<std::size_t> of_first_row(5);
  for (std::size_t step = 0; step < 2000; ++step) {
    const train::hybrid_batch batch = made(10, 3, step);
    std::vector<std::size_t> count(5);
    for (const std::size_t i : batch.view().revealed) ++count.at(i);
    CHECK(count == std::vector<std::size_t>(5, 2));
    ++of_first_row[batch.view().revealed[0]];
  }
  for (const std::size_t n : of_first_row) CHECK(std::abs(static_cast<double>(n) - 400) < 90);  // five deviations of 17.9
}

TEST_CASE("independent levels do not") {
  train::hybrid_rows source{counting{}, 10, train::independent_levels{}};
  std::size_t even = 0;
  for (std::size_t step = 0; step < 100; ++step) {
    train::hybrid_batch batch;
    random_stream random{3, stream_use::training, 0, step};
    source(step, batch, random);
    std::vector<std::size_t> count(5);
    for (const std::size_t i : batch.view().revealed) ++count.at(i);
    even += count == std::vector<std::size_t>(5, 2) ? 1 : 0;
  }
  CHECK(even < 10);  // expected 1.2
}

TEST_CASE("the greatest level below 1 reveals all but one token, and one of 0 none") {
  for (const std::size_t length : {1U, 2U, 3U, 256U, 1000003U}) {
    CHECK(train::revealed_at(std::nextafter(1.0, 0.0), length) == length - 1);
    CHECK(train::revealed_at(0.0, length) == 0);
  }
}

TEST_CASE("hybrid_rows refuses batches without rows and rows without tokens") {
  CHECK_THROWS_AS((train::hybrid_rows{counting{}, 0}), invalid_argument);
  const auto nothing = [](random_stream&) { return std::span<const token>{}; };
  train::hybrid_rows source{nothing, 2};
  train::hybrid_batch batch;
  random_stream random{3, stream_use::training};
  CHECK_THROWS_AS(source(0, batch, random), invalid_argument);
}
