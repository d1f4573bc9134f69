#include "lacuna/nn/forward_pass.hpp"

#include <vector>

#include <doctest/doctest.h>

namespace {

using namespace lacuna;

}  // namespace

TEST_CASE("groups hold whole rows, at least one, and no more tokens than a group takes for each thread") {
  const std::size_t most = nn::forward_pass::group_tokens;
  const std::vector<std::size_t> offsets{0, 3 * most, 3 * most + 10, 4 * most, 4 * most + 20, 5 * most + 1};
  const nn::packed_rows rows{nullptr, offsets};
  CHECK(rows.count() == 5);
  CHECK(rows.longest() == 3 * most);
  CHECK(nn::forward_pass::group_end(rows, 0, 1) == 1);  // longer than a group, and still one
  CHECK(nn::forward_pass::group_end(rows, 1, 1) == 3);  // exactly full
  CHECK(nn::forward_pass::group_end(rows, 3, 1) == 4);  // two would be a token too many
  CHECK(nn::forward_pass::group_end(rows, 3, 2) == 5);
  CHECK(nn::forward_pass::group_end(rows, 0, 5) == 4);
}
