#include "lacuna/core/block_range.hpp"

#include <doctest/doctest.h>

#include <vector>

namespace {

using lacuna::block_range;
using lacuna::canvas;
using lacuna::first_masked_block;

TEST_CASE("blocks are laid out from the first position and the last may be short") {
  canvas c = canvas::blank(10);
  CHECK(first_masked_block(c, 4) == block_range{0, 4});
  for (std::size_t i = 0; i < 4; ++i) c.commit(i, 1);
  CHECK(first_masked_block(c, 4) == block_range{4, 8});
  for (std::size_t i = 4; i < 9; ++i) c.commit(i, 1);
  CHECK(first_masked_block(c, 4) == block_range{8, 10});
  CHECK(masked_in(c, {8, 10}) == 1);
  c.commit(9, 1);
  CHECK(first_masked_block(c, 4) == block_range{});
}

TEST_CASE("blocks of a continuation begin behind its prompt") {
  const std::vector<lacuna::token> prompt{7, 7, 7};
  canvas c = canvas::continuation(prompt, 12);
  CHECK(first_masked_block(c, 4) == block_range{3, 7});
  for (std::size_t i = 3; i < 7; ++i) c.commit(i, 1);
  CHECK(first_masked_block(c, 4) == block_range{7, 11});
}

TEST_CASE("a block without gaps is passed over, and a block larger than the rest ends with it") {
  const std::vector<std::size_t> gaps{1, 9};
  canvas c = canvas::infill(std::vector<lacuna::token>(12, 0), gaps);
  CHECK(first_masked_block(c, 4) == block_range{1, 5});
  c.commit(1, 1);
  CHECK(first_masked_block(c, 4) == block_range{9, 12});
  CHECK(first_masked_block(c, static_cast<std::size_t>(-1)) == block_range{1, 12});
}

}  // namespace
