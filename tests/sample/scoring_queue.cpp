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

TEST_CASE("rows of all kinds wait side by side, each with what is its own") {
  scoring_queue queue;
  queue.add(0, purpose::decode, 3);
  queue.want(1);
  const auto draft = queue.add_draft(1, 5, 4);
  std::fill(draft.begin(), draft.end(), 2);
  queue.want(0);
  queue.want(3);
  const auto verification = queue.add_verification(2, 6, 4, 1, 4);
  for (std::size_t i = 0; i < 4; ++i) {
    verification.tokens[i] = static_cast<token>(i);
    verification.order[i] = 3 - i;
  }
  queue.add_draft(3, 7, 2);
  queue.want(1);

  CHECK(queue.rows() == 4);
  CHECK(queue.rows(row_kind::plain) == 1);
  CHECK(queue.rows(row_kind::draft) == 2);
  CHECK(queue.rows(row_kind::verify) == 1);
  CHECK(queue.kind(0) == row_kind::plain);
  CHECK(queue.why(1) == purpose::draft);
  CHECK(queue.slot(1) == 5);
  CHECK(std::vector<std::size_t>(queue.wanted(1).begin(), queue.wanted(1).end()) == std::vector<std::size_t>{0, 3});
  CHECK(std::vector<token>(queue.tokens(1).begin(), queue.tokens(1).end()) == std::vector<token>{2, 2, 2, 2});
  CHECK(queue.why(2) == purpose::verify);
  CHECK(queue.slot(2) == 6);
  CHECK(std::vector<token>(queue.tokens(2).begin(), queue.tokens(2).end()) == std::vector<token>{0, 1, 2, 3});
  CHECK(std::vector<std::size_t>(queue.order(2).begin(), queue.order(2).end()) == std::vector<std::size_t>{3, 2, 1, 0});
  CHECK(queue.first_track(2) == 1);
  CHECK(queue.last_track(2) == 4);
  CHECK(queue.tracks(2) == 3);
  CHECK(queue.wanted(3).front() == 1);
  queue.clear();
  CHECK(queue.rows(row_kind::draft) == 0);

  const std::size_t took[] = {1, 1, 9};
  queue.add_verification(0, 0, 4, 1, 4);
  queue.add_verification(0, 0, 4, 1, 4);
  queue.add_verification(1, 1, 4, 1, 4);
  CHECK(cost_of(queue, 0, 2, took).of(purpose::verify) == nfe::count{1, 2});
  CHECK(cost_of(queue, 2, 3, took).of(purpose::verify) == nfe::count{1, 9});
}
