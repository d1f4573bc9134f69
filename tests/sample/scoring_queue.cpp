// The rows that wait for the next call.
#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "lacuna/sample/scoring_queue.hpp"

using namespace lacuna;

TEST_CASE("rows keep their tokens, wanted positions, owner and purpose, whoever asks in between") {
  scoring_queue queue;
  for (std::size_t owner = 0; owner < 50; ++owner) {
    const auto tokens = queue.add(owner, owner % 2 == 0 ? purpose::decode : purpose::probe, owner + 1);
    std::fill(tokens.begin(), tokens.end(), static_cast<token>(owner));
    if (owner % 3 != 0) queue.want(0);
    queue.want(owner);
  }
  CHECK(queue.rows() == 50);
  for (std::size_t r = 0; r < 50; ++r) {
    CHECK(queue.owner(r) == r);
    CHECK(queue.why(r) == (r % 2 == 0 ? purpose::decode : purpose::probe));
    CHECK(queue.length(r) == r + 1);
    CHECK(queue.tokens(r).size() == r + 1);
    CHECK(std::count(queue.tokens(r).begin(), queue.tokens(r).end(), static_cast<token>(r)) ==
          static_cast<std::ptrdiff_t>(r + 1));
    CHECK(queue.wanted(r).size() == (r % 3 != 0 ? 2 : 1));
    CHECK(queue.wanted(r).back() == r);
  }
  queue.clear();
  CHECK(queue.empty());
}

TEST_CASE("who asks for many rows pays one call for each purpose and every row") {
  scoring_queue queue;
  for (const purpose p : {purpose::probe, purpose::decode, purpose::probe, purpose::probe}) queue.add(0, p, 2);
  queue.add(1, purpose::verify, 2);
  const nfe first = cost_of(queue, 0, 4);
  CHECK(first.of(purpose::probe) == nfe::count{1, 3});
  CHECK(first.of(purpose::decode) == nfe::count{1, 1});
  CHECK(first.calls() == 2);
  CHECK(first.rows() == 4);
  CHECK(cost_of(queue, 4, 5).of(purpose::verify) == nfe::count{1, 1});
  CHECK(cost_of(queue, 4, 4) == nfe{});
}
