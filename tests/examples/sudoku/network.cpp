#include "../../../examples/sudoku/network.hpp"

#include <doctest/doctest.h>

namespace {

using namespace sudoku;

TEST_CASE("a network's shape fits together for any size that is asked for") {
  for (const std::size_t heads : {1U, 2U, 4U, 8U}) {
    const auto config = network_config({.width = 32, .depth = 2, .heads = heads});
    CHECK_NOTHROW(lacuna::nn::check(config));
    CHECK(config.vocabulary == 10);
    CHECK(config.mask_token == blank);
  }
  CHECK_THROWS_AS(lacuna::nn::check(network_config({.width = 30, .depth = 2, .heads = 4})), lacuna::invalid_argument);
}

TEST_CASE("row, column and box tell every cell from every other") {
  const auto config = network_config({});
  REQUIRE(config.features.size() == 3);
  for (std::size_t a = 0; a < cell_count; ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      bool same = true;
      for (const auto& feature : config.features) same = same && feature.ids[a] == feature.ids[b];
      CHECK_FALSE(same);
    }
  }
}

TEST_CASE("heads start out on rows, columns, boxes and everything in turn") {
  const auto config = network_config({.width = 64, .depth = 1, .heads = 8});
  for (std::size_t head = 0; head < 8; ++head) {
    for (std::size_t a = 0; a < cell_count; ++a) {
      for (std::size_t b = 0; b < cell_count; ++b) {
        const bool shared = a != b && (head % 4 == 0   ? row_of(a) == row_of(b)
                                       : head % 4 == 1 ? column_of(a) == column_of(b)
                                       : head % 4 == 2 ? box_of(a) == box_of(b)
                                                       : false);
        const std::uint32_t relation = config.relation->ids[a * cell_count + b];
        CHECK(config.relation->initial[head * config.relation->count + relation] == (shared ? 3.0F : 0.0F));
      }
    }
  }
}

}  // namespace
