#include "lacuna/testing/scripted_model.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <vector>

using namespace lacuna;
using testing::scripted_model;

TEST_CASE("a script is read by call and position, the same for every row") {
  scripted_model model{{.vocabulary = 3, .mask = 2}};
  static_assert(masked_model<scripted_model>);
  model.say(0, {1, 0, 0}).say(1, {0, 5, 0}, 1).say(0, {9, 0, 0}, 1);
  const std::vector<token> x{2, 2, 2, 2};
  const token_batch batch = view_as_tensor<const token, 2>(x.data(), {2, 2});
  const auto first = model(batch);
  const auto second = model(batch);
  const auto third = model(batch);
  CHECK(model.calls() == 3);
  for (std::size_t b = 0; b < 2; ++b) {
    CHECK(first(b, 0, 0) == 1);
    CHECK(first(b, 1, 1) == 0);
    CHECK(second(b, 0, 0) == 9);
    CHECK(second(b, 1, 1) == 5);
    CHECK(third(b, 0, 0) == 1);
    CHECK(third(b, 1, 1) == 0);
  }
}

TEST_CASE("a line of the wrong width is refused") {
  scripted_model model{{.vocabulary = 3, .mask = 2}};
  CHECK_THROWS_WITH_AS(model.say(0, {1, 2}), "scripted_model: 2 logits, expected vocabulary 3", invalid_argument);
}
