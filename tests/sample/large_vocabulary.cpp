// A vocabulary of 262 144 on a selective model: no more than a row of logits at a time is ever held.
#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "lacuna/sample/compose.hpp"
#include "lacuna/sample/decode.hpp"
#include "tests/allocation_count.hpp"
#include "tests/sample/models.hpp"
#include "tests/sample/policies.hpp"

using namespace lacuna;
using namespace lacuna::tests;

namespace {

constexpr std::size_t vocabulary = 262144;
constexpr std::size_t row_of_doubles = vocabulary * sizeof(double);
constexpr std::size_t small_state = 1U << 20U;

struct needs_rows {
  static constexpr statistics needs = statistics::rows;
  void select(const step_view& view, selection& out, const step_random&) const { out.add(view.row(0)[0] < 0 ? 0 : 1); }
};

/// Bytes at the peak of two steps of B rows of L positions.
template <class Order>
std::size_t peak(std::size_t rows, std::size_t length, const Order& order) {
  selective model;
  model.vocabulary = vocabulary;
  model.mask = vocabulary - 1;
  model.logits = [](std::span<const token>, std::size_t l, std::span<float> out) {
    std::fill(out.begin(), out.end(), 0.0F);
    out[l] = 30;
  };
  const std::vector<job> jobs(rows, job{canvas::blank(length), 0, 2});
  const heap_peak heap;
  const batch_result r = decode(model, std::span{jobs}, compose(order, draw::categorical{}), {});
  const std::size_t bytes = heap.bytes();
  CHECK(r.rows[0].tokens[0] == 0);
  CHECK(r.rows[rows - 1].tokens[1] == 1);
  CHECK(model.asked >= rows * 3);
  return bytes;
}

}  // namespace

TEST_CASE("V = 262144, L = 256, B = 8: two rows of doubles, the model's row, and small state") {
  // two positions wanted of each row at first: 16 rows of logits, 32 MiB if anyone kept them
  const std::size_t bytes = peak(8, 256, order::blocks{2, order::top_k{rank::entropy{}, pace::constant{1}}});
  CHECK(bytes >= 2 * row_of_doubles);  // a control of the count: this much there must be
  CHECK(bytes < 2 * row_of_doubles + vocabulary * sizeof(float) + small_state);
}

TEST_CASE("an order that asks for whole rows holds those of one step, and no others") {
  const std::size_t bytes = peak(8, 256, order::blocks{2, needs_rows{}});
  CHECK(bytes >= (16 + 2) * row_of_doubles);
  CHECK(bytes < (16 + 2) * row_of_doubles + vocabulary * sizeof(float) + small_state);
}
