// Samplers of different compositions behind one type.
#include <doctest/doctest.h>

#include <utility>
#include <vector>

#include "lacuna/core/errors.hpp"
#include "lacuna/sample/any_sampler.hpp"
#include "lacuna/sample/compose.hpp"
#include "lacuna/sample/decode.hpp"
#include "lacuna/sample/run.hpp"
#include "tests/sample/models.hpp"
#include "tests/sample/policies.hpp"
#include "tests/sample/results.hpp"

using namespace lacuna;
using namespace lacuna::tests;
using lacuna::sample::any_sampler;

static_assert(sampler_for<any_sampler, whole> && sampler_for<any_sampler, ragged_selective>);
static_assert(!std::constructible_from<any_sampler, order::left_to_right>);  // a policy is no sampler

TEST_CASE("any_sampler decodes as the sampler inside does") {
  whole model;
  model.end = 6;
  const std::vector<canvas> starts{canvas::blank(9), canvas::infill({1, 2}, {}), canvas::blank(4)};
  const auto check = [&](const auto& sampler) {
    const any_sampler any = sampler;
    CHECK(same(decode(model, std::span{starts}, any, {.seed = 3}).rows,
               decode(model, std::span{starts}, sampler, {.seed = 3}).rows));
    auto run = start(model, any, starts[0], 3);
    while (!run.done()) run.step();
    CHECK(same(run.result(), decode(model, starts[0], sampler, 3)));
  };
  check(compose(order::random{pace::constant{2}}, draw::categorical{}, ending::last<ending::stop>{}));
  check(compose(timed{9, 2}, draw::categorical{}, doubtful{0.2}));
}

TEST_CASE("any_samplers are values, their parameters are checked") {
  whole model;
  std::vector<any_sampler> samplers{compose(order::left_to_right{1}, draw::argmax{}), compose(everything, draw::argmax{})};
  samplers.push_back(samplers[0]);
  std::vector<std::size_t> steps;
  for (const any_sampler& s : samplers) steps.push_back(decode(model, canvas::blank(5), s).steps);
  CHECK(steps == std::vector<std::size_t>{5, 1, 5});
  const any_sampler taken = std::move(samplers[1]);
  CHECK(decode(model, canvas::blank(5), taken).steps == 1);
  CHECK(decode(model, canvas::blank(5), samplers[1]).steps == 1);  // still a sampler
  samplers[0] = compose(order::top_k{rank::entropy{}, pace::linear{0}}, draw::argmax{});
  CHECK_THROWS_WITH_AS(decode(model, canvas::blank(5), samplers[0]), "pace: steps = 0, expected at least 1", invalid_argument);
}
