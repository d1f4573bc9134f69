#include "lacuna/train/labelled_context.hpp"

#include <doctest/doctest.h>

#include <vector>

using lacuna::train::labelled_context;

TEST_CASE("masked positions are found, in order") {
  const lacuna::token masked = labelled_context::masked;
  CHECK(labelled_context{{masked, 4, 0, masked, masked}, {}, {}}.masked_positions() == std::vector<std::size_t>{0, 3, 4});
  CHECK(labelled_context{{4, 0}, {}, {}}.masked_positions().empty());
  CHECK(labelled_context{}.masked_positions().empty());
}
