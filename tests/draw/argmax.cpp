#include "lacuna/draw/argmax.hpp"

#include <doctest/doctest.h>

#include "tests/support/draw_fixture.hpp"

namespace {

using lacuna::draw::argmax;
using lacuna::testing::draw_from;
using lacuna::testing::row_of;
using lacuna::testing::row_of_logits;

static_assert(lacuna::draw_policy<argmax>);

TEST_CASE("draw::argmax takes the most likely token, ties to the lowest id") {
  CHECK(draw_from(argmax{}, row_of({0.2, 0.5, 0.3})) == 1);
  CHECK(draw_from(argmax{}, row_of({0.1, 0.45, 0.45})) == 1);
  CHECK(draw_from(argmax{}, row_of({0.25, 0.25, 0.25, 0.25})) == 0);
  CHECK(draw_from(argmax{}, row_of({1.0})) == 0);
  CHECK(draw_from(argmax{}, row_of({0.0, 0.0, 1.0})) == 2);
  CHECK(draw_from(argmax{}, row_of_logits({-700, 700, 0})) == 1);
}

TEST_CASE("draw::argmax uses no random numbers") {
  lacuna::random_stream rng(1, lacuna::stream_use::draw);
  auto untouched = rng;
  auto row = row_of({0.2, 0.8});
  argmax{}.draw(row, rng);
  CHECK(rng.bits() == untouched.bits());
}

}  // namespace
