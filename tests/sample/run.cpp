// Decoding one canvas a step at a time.
#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "lacuna/core/errors.hpp"
#include "lacuna/draw/argmax.hpp"
#include "lacuna/draw/categorical.hpp"
#include "lacuna/order/left_to_right.hpp"
#include "lacuna/sample/compose.hpp"
#include "lacuna/sample/decode.hpp"
#include "lacuna/sample/run.hpp"
#include "tests/sample/models.hpp"
#include "tests/sample/policies.hpp"
#include "tests/sample/results.hpp"

using namespace lacuna;
using namespace lacuna::tests;

namespace {

template <class Sampler>
void check_as_decode(const Sampler& sampler, const canvas& c) {
  whole model;
  model.end = 6;
  const job j{c, 17, unlimited};
  const decode_result expected = decode(model, std::span{&j, 1}, sampler, {.seed = 5}).rows[0];
  auto run = start(model, sampler, c, 5, 17);
  std::size_t steps = 0;
  while (!run.done()) {
    const step_info info = run.step();
    ++steps;
    for (const std::size_t i : info.committed) CHECK(run.sequence().is_committed(i));
    for (const std::size_t i : info.remasked) CHECK(run.sequence().is_masked(i));
    CHECK(run.steps() == steps);
  }
  CHECK(same(run.result(), expected));
  CHECK(run.cost() == expected.cost);
}

}  // namespace

TEST_CASE("a run stepped by hand ends as decode does, with its seed and stream") {
  canvas c = canvas::blank(11);
  c.fix(3, 1);
  check_as_decode(compose(order::random{pace::constant{2}}, draw::categorical{}), c);
  check_as_decode(compose(order::blocks{3, surest(1)}, draw::categorical{}, ending::last<ending::stop>{}), c);
  check_as_decode(compose(timed{7, 2}, draw::categorical{}, doubtful{0.2}), c);
  check_as_decode(compose(timed{7, 2}, draw::categorical{}, sometimes{0.2}, ending::stop{}), c);
  check_as_decode(compose(everything, draw::argmax{}), canvas::infill({1, 2}, {}));
}

TEST_CASE("a run not done shows what there is") {
  whole model;
  auto run = start(model, compose(order::left_to_right{}, draw::argmax{}), canvas::blank(3));
  CHECK(run.result().reason == stop_reason::budget);
  CHECK(run.result().tokens == std::vector<token>(3, model.mask));
  run.step();
  CHECK(run.result().tokens[0] != model.mask);
  CHECK(run.result().tokens[1] == model.mask);
  CHECK(run.result().reason == stop_reason::budget);
}

TEST_CASE("runs can be moved and put side by side") {
  whole model;
  const auto sampler = compose(order::random{pace::constant{1}}, draw::categorical{});
  std::vector<decltype(start(model, sampler, canvas::blank(1)))> runs;
  for (std::uint64_t stream = 0; stream < 5; ++stream) runs.push_back(start(model, sampler, canvas::blank(6), 1, stream));
  for (bool any = true; any;) {
    any = false;
    for (auto& run : runs)
      if (!run.done()) {
        run.step();
        any = true;
      }
  }
  const std::vector<canvas> blank(5, canvas::blank(6));
  const auto expected = decode(model, std::span{blank}, sampler, {.seed = 1}).rows;
  for (std::size_t r = 0; r < 5; ++r) CHECK(same(runs[r].result(), expected[r]));
}

TEST_CASE("a run that is done takes no further step") {
  whole model;
  const auto check = [&](const auto& sampler, const canvas& from) {
    auto run = start(model, sampler, from);
    while (!run.done()) run.step();
    const decode_result before = run.result();
    const std::string message =
        "run: a step was asked for after " + std::to_string(before.steps) + ", expected none: the run is done";
    CHECK_THROWS_WITH_AS(run.step(), message.c_str(), error);
    CHECK(run.done());
    CHECK(same(run.result(), before));
    CHECK(run.cost() == before.cost);
  };
  check(compose(order::left_to_right{}, draw::argmax{}), canvas::blank(3));
  check(compose(timed{7, 2}, draw::categorical{}, doubtful{0.2}), canvas::blank(3));
  check(compose(timed{7, 2}, draw::categorical{}, doubtful{0.2}), canvas::infill({1, 2}, {}));  // done before its first step
}

TEST_CASE("a pass whose result is of the wrong shape is paid for as well") {
  struct wrong_once : fake {
    tensor<float, 3> operator()(const token_batch& x) {
      return tensor<float, 3>({x.shape(0), x.shape(1) + (++calls == 2 ? 1 : 0), vocabulary}, 0.0F);
    }
  } model;
  auto run = start(model, compose(order::left_to_right{}, draw::argmax{}), canvas::blank(3));
  run.step();
  CHECK_THROWS_AS(run.step(), model_error);
  CHECK(run.steps() == 1);
  while (!run.done()) run.step();
  CHECK(run.cost().calls() == model.calls);
  CHECK(model.calls == 4);
}

TEST_CASE("a step that fails leaves the run where it was; it can go on when the model has recovered") {
  whole model;
  model.logits = [&](std::span<const token> row, std::size_t l, std::span<float> out) {
    scrambled(row, l, out);
    if (model.calls == 2) std::fill(out.begin(), out.end(), -std::numeric_limits<float>::infinity());
  };
  auto run = start(model, compose(order::left_to_right{}, draw::argmax{}), canvas::blank(3));
  run.step();
  CHECK_THROWS_AS(run.step(), model_error);
  CHECK(run.steps() == 1);
  CHECK(run.cost().calls() == 2);
  while (!run.done()) run.step();
  whole healthy;
  CHECK(run.result().tokens == decode(healthy, canvas::blank(3), compose(order::left_to_right{}, draw::argmax{})).tokens);
}
