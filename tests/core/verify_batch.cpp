#include "lacuna/core/verify_batch.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cstddef>

using namespace lacuna;

TEST_CASE("a verify_batch shows its rows") {
  const std::array<std::size_t, 2> slots{4, 1};
  const std::array<std::size_t, 6> orders{2, 0, 1, 0, 1, 2};
  const std::array<token, 6> tokens{7, 8, 9, 4, 5, 6};
  const std::array<std::size_t, 2> first{0, 1};
  const std::array<std::size_t, 2> last{1, 3};
  const verify_batch v{slots, orders, tokens, first, last};
  CHECK(v.rows() == 2);
  CHECK(v.length() == 3);
  CHECK(v.order(0)[0] == 2);
  CHECK(v.order(1)[2] == 2);
  CHECK(v.row(1)[0] == 4);
  CHECK(verify_batch{}.length() == 0);
}
