#include "lacuna/nn/draft_slot.hpp"

#include <vector>

#include <doctest/doctest.h>

namespace {

using namespace lacuna;

const std::vector<std::size_t> order{3, 0, 2, 1};
const std::vector<token> tokens{10, 11, 12, 13};

nn::draft_slot with_all() {
  nn::draft_slot slot;
  slot.begin(4, 2, 1);
  slot.remember(order, tokens, 0, 4);
  return slot;
}

}  // namespace

TEST_CASE("tracks are known as far as the order up to them and the tokens before them are the same") {
  const nn::draft_slot slot = with_all();
  CHECK(slot.known(order, tokens, 4) == 4);
  CHECK(slot.known(order, tokens, 3) == 3);
  std::vector<token> other = tokens;
  other[1] = 99;  // at the last track: no track carries it
  CHECK(slot.known(order, other, 4) == 4);
  other[0] = 99;  // at track 1: track 2 carries it
  CHECK(slot.known(order, other, 4) == 2);
  other[3] = 99;
  CHECK(slot.known(order, other, 4) == 1);
  CHECK(slot.known(std::vector<std::size_t>{3, 0, 1, 2}, tokens, 4) == 2);
  CHECK(slot.known(std::vector<std::size_t>{0, 3, 2, 1}, tokens, 4) == 0);
}

TEST_CASE("what is verified again up to some track leaves the tracks behind known, what changes does not") {
  nn::draft_slot slot = with_all();
  slot.remember(order, tokens, 2, 2);
  CHECK(slot.known(order, tokens, 4) == 4);
  std::vector<token> other = tokens;
  other[3] = 99;
  slot.remember(order, other, 1, 2);
  CHECK(slot.known(order, other, 4) == 2);
  CHECK(slot.known(order, tokens, 4) == 1);
}

TEST_CASE("a new draft forgets the verified tracks") {
  nn::draft_slot slot = with_all();
  slot.begin(4, 2, 1);
  CHECK(slot.known(order, tokens, 4) == 0);
}
