#include "lacuna/core/batch.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <span>
#include <vector>

using namespace lacuna;

namespace {

const std::vector<float> two{1.5F, 2.5F};

void deliver(row_sink sink) {
  sink(4, two);
  sink(0, std::span<const float>(two).first(1));
}

static_assert(std::constructible_from<row_sink, void (*&)(std::size_t, std::span<const float>)>);
static_assert(!std::constructible_from<row_sink, void (&)(std::size_t, std::span<const float>)>,
              "a function has no object to refer to");
static_assert(!std::convertible_to<int, row_sink>);
static_assert(!std::convertible_to<void (*)(std::size_t), row_sink>);
static_assert(std::is_trivially_copyable_v<row_sink> && sizeof(row_sink) == 2 * sizeof(void*));

std::size_t last_k = 99;
void plain_function(std::size_t k, std::span<const float>) { last_k = k; }

}  // namespace

TEST_CASE("a sink passes index and row to a lambda, const or not, lvalue or temporary") {
  std::vector<std::size_t> indices;
  std::vector<std::size_t> sizes;
  const auto constant = [&](std::size_t k, std::span<const float> row) {
    indices.push_back(k);
    sizes.push_back(row.size());
  };
  deliver(constant);
  auto changeable = [&, calls = 0](std::size_t k, std::span<const float> row) mutable {
    ++calls;
    indices.push_back(k + static_cast<std::size_t>(calls));
    sizes.push_back(row.size());
  };
  deliver(changeable);
  deliver(changeable);  // the lambda itself is used, not a copy
  deliver([&](std::size_t k, std::span<const float>) { indices.push_back(k + 100); });
  CHECK(indices == std::vector<std::size_t>{4, 0, 5, 2, 7, 4, 104, 100});
  CHECK(sizes == std::vector<std::size_t>{2, 1, 2, 1, 2, 1});
}

TEST_CASE("a sink takes function objects, function pointers and callables that return something") {
  struct counter {
    std::size_t sum = 0;
    bool operator()(std::size_t k, std::span<const float> row) {
      sum += k + row.size();
      return true;
    }
  } count;
  deliver(count);
  CHECK(count.sum == 7);
  auto* pointer = &plain_function;
  deliver(pointer);
  CHECK(last_k == 0);
}

TEST_CASE("a copy of a sink is the same sink") {
  std::size_t calls = 0;
  auto count = [&](std::size_t, std::span<const float>) { ++calls; };
  const row_sink first{count};
  const row_sink second = first;
  row_sink third{second};
  second(0, two);
  third(1, two);
  CHECK(calls == 2);
}

TEST_CASE("a token batch is a view of rows of tokens") {
  const std::vector<token> tokens{1, 2, 3, 4, 5, 6};
  const token_batch x = view_as_tensor<const token, 2>(tokens.data(), {2, 3});
  CHECK(x.shape(0) == 2);
  CHECK(x.shape(1) == 3);
  CHECK(x(1, 0) == 4);
  CHECK(x.data() == tokens.data());
}

TEST_CASE("a ragged batch finds its rows by their offsets, also empty ones") {
  const std::vector<token> tokens{1, 2, 3, 4, 5, 6};
  const std::vector<std::size_t> offsets{0, 1, 1, 6};
  const ragged_batch x{tokens, offsets};
  REQUIRE(x.rows() == 3);
  CHECK(x.length(0) == 1);
  CHECK(x.length(1) == 0);
  CHECK(x.length(2) == 5);
  CHECK(x.row(2)[0] == 2);
  CHECK(x.row(2).data() == tokens.data() + 1);
}
