#include "lacuna/train/hybrid_batch.hpp"

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "lacuna/train/training_batch.hpp"

namespace {

using namespace lacuna;

static_assert(train::training_batch<train::hybrid_batch>);

std::string complaint(const std::vector<token>& row, const std::vector<std::size_t>& order, std::size_t revealed) {
  train::hybrid_batch batch;
  try {
    batch.add(row, order, revealed);
  } catch (const invalid_argument& e) {
    CHECK(batch.rows() == 0);
    return e.what();
  }
  return {};
}

}  // namespace

TEST_CASE("a hybrid batch holds rows of different lengths one after the other, and its units are tokens") {
  train::hybrid_batch batch;
  for (int round = 0; round < 2; ++round) {
    batch.clear();
    CHECK(batch.rows() == 0);
    CHECK(batch.units() == 0);
    batch.add(std::vector<token>{7, 8, 9}, std::vector<std::size_t>{2, 0, 1}, 1);
    batch.add(std::vector<token>{5}, std::vector<std::size_t>{0}, 0);
    const nn::hybrid_examples view = batch.view();
    CHECK(std::vector<token>(view.tokens.begin(), view.tokens.end()) == std::vector<token>{7, 8, 9, 5});
    CHECK(std::vector<std::size_t>(view.orders.begin(), view.orders.end()) == std::vector<std::size_t>{2, 0, 1, 0});
    CHECK(std::vector<std::size_t>(view.revealed.begin(), view.revealed.end()) == std::vector<std::size_t>{1, 0});
    CHECK(std::vector<std::size_t>(view.offsets.begin(), view.offsets.end()) == std::vector<std::size_t>{0, 3, 4});
    CHECK(batch.rows() == 2);
    CHECK(view.rows() == 2);
    CHECK(batch.units() == 4);
  }
}

TEST_CASE("a hybrid batch refuses rows whose order has another length or of which nothing is left") {
  CHECK(complaint({1, 2}, {1, 0}, 1).empty());
  CHECK(complaint({1, 2}, {0}, 0) == "hybrid row: an order of 1 positions, expected 2 as tokens");
  CHECK(complaint({1, 2}, {1, 0}, 2) == "hybrid row: 2 tokens revealed, expected less than its length 2");
  CHECK(complaint({}, {}, 0) == "hybrid row: 0 tokens revealed, expected less than its length 0");
}
