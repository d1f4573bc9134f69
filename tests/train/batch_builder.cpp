#include "lacuna/train/batch_builder.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <vector>

#include "lacuna/core/errors.hpp"
#include "lacuna/core/token.hpp"

using lacuna::token;

TEST_CASE("rows of different lengths are packed one after the other, and their units add up") {
  lacuna::train::batch_builder batch;
  CHECK(batch.rows() == 0);
  CHECK(batch.view().offsets.size() == 1);
  batch.add(std::vector<token>{9, 1}, std::vector<token>{0, 1}, std::vector<float>{2, 0}, 2);
  batch.add(std::vector<token>{9, 9, 9}, std::vector<token>{4, 5, 6}, std::vector<float>{1, 1, 1}, 3);
  const auto view = batch.view();
  CHECK(batch.rows() == 2);
  CHECK(batch.units() == 5);
  CHECK(std::vector<std::size_t>(view.offsets.begin(), view.offsets.end()) == std::vector<std::size_t>{0, 2, 5});
  CHECK(std::vector<token>(view.targets.begin(), view.targets.end()) == std::vector<token>{0, 1, 4, 5, 6});
  CHECK(view.inputs[1] == 1);
  CHECK(view.weights[0] == 2);

  lacuna::train::batch_builder copy;
  copy.add(std::vector<token>{7}, std::vector<token>{7}, std::vector<float>{0}, 0);
  copy.add(view, 1);
  CHECK(copy.rows() == 3);
  CHECK(copy.units() == 1);
  CHECK(copy.view().offsets[3] == 6);
  CHECK(copy.view().targets[5] == 6);

  batch.clear();
  CHECK(batch.rows() == 0);
  CHECK(batch.units() == 0);
  CHECK(batch.view().inputs.empty());
}

TEST_CASE("a row whose parts differ in length is refused and not half added") {
  lacuna::train::batch_builder batch;
  CHECK_THROWS_WITH_AS(batch.add(std::vector<token>{1, 2}, std::vector<token>{1}, std::vector<float>{1, 1}, 1),
                       doctest::Contains("1 targets and 2 weights, expected 2"), lacuna::invalid_argument);
  CHECK_THROWS_AS(batch.add(std::vector<token>{1}, std::vector<token>{1}, std::vector<float>{}, 1), lacuna::invalid_argument);
  CHECK(batch.rows() == 0);
  CHECK(batch.view().inputs.empty());
}
