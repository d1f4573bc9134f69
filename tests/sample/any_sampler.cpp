// Samplers of different compositions behind one type.
#include <doctest/doctest.h>

#include <concepts>
#include <utility>
#include <vector>

#include "lacuna/core/errors.hpp"
#include "lacuna/mi/enumerated.hpp"
#include "lacuna/order/mi_guided.hpp"
#include "lacuna/sample/any_sampler.hpp"
#include "lacuna/sample/compose.hpp"
#include "lacuna/sample/decode.hpp"
#include "lacuna/sample/run.hpp"
#include "tests/sample/models.hpp"
#include "tests/sample/policies.hpp"
#include "tests/sample/results.hpp"

using namespace lacuna;
using namespace lacuna::tests;
using lacuna::sample::any_hidden_sampler;
using lacuna::sample::any_sampler;

namespace {

/// The candidate with the largest first component of its hidden state, which is its position here.
struct rightmost {
  static constexpr statistics needs = statistics::hidden;
  void select(const step_view& view, selection& out, const step_random&) const {
    std::size_t top = 0;
    for (std::size_t k = 1; k < view.size(); ++k)
      if (view.hidden(k)[0] > view.hidden(top)[0]) top = k;
    out.add(top);
  }
};

/// Reads hidden states as information; an order that probes reads them too.
struct hidden_pairs {
  static constexpr statistics needs = statistics::hidden;
  void estimate(const step_view& view, std::span<const std::size_t> candidates, memory_of<hidden_pairs>&,
                std::span<double> out) const {
    for (std::size_t a = 0; a < candidates.size(); ++a)
      for (std::size_t b = 0; b < candidates.size(); ++b)
        out[a * candidates.size() + b] =
            0.01 * static_cast<double>(view.hidden(candidates[a])[0] + view.hidden(candidates[b])[0]);
  }
};

/// Counts which of its two calls is used.
struct counted : selective_hidden {
  std::size_t plain = 0, with_states = 0;
  void operator()(const token_batch& x, std::span<const std::size_t> wanted, row_sink sink) {
    ++plain;
    selective_hidden::operator()(x, wanted, sink);
  }
  void with_hidden(const token_batch& x, std::span<const std::size_t> wanted, row_sink to_logits, row_sink to_states) {
    ++with_states;
    selective_hidden::with_hidden(x, wanted, to_logits, to_states);
  }
};

}  // namespace

static_assert(sampler_for<any_sampler, whole> && sampler_for<any_sampler, ragged_selective>);
static_assert(sampler_for<any_hidden_sampler, whole_hidden> && sampler_for<any_hidden_sampler, selective_hidden>);
static_assert(!sampler_for<any_hidden_sampler, whole>);  // it may hold one that wants hidden states
using reads_hidden = decltype(compose(rightmost{}, draw::argmax{}));
static_assert(std::constructible_from<any_hidden_sampler, reads_hidden>);
static_assert(!std::constructible_from<any_sampler, reads_hidden>);
static_assert(std::constructible_from<any_hidden_sampler, any_sampler>);
static_assert(!std::constructible_from<any_sampler, any_hidden_sampler>);
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

TEST_CASE("any_hidden_sampler decodes as the sampler inside does, whether that wants hidden states or not") {
  const std::vector<canvas> starts{canvas::blank(9), canvas::infill({1, 2}, {}), canvas::blank(4)};
  const auto check = [&](auto model, const auto& sampler) {
    const any_hidden_sampler any = sampler;
    CHECK(same(decode(model, std::span{starts}, any, {.seed = 3}).rows,
               decode(model, std::span{starts}, sampler, {.seed = 3}).rows));
    auto run = start(model, any, starts[0], 3);
    while (!run.done()) run.step();
    CHECK(same(run.result(), decode(model, starts[0], sampler, 3)));
  };
  const auto reads = compose(rightmost{}, draw::categorical{});
  const auto guided = compose(order::mi_guided{hidden_pairs{}, 3.0}, draw::categorical{});
  const auto probes = compose(order::mi_guided{mi::enumerated{}, 3.0}, draw::categorical{});
  const auto neither = compose(order::random{pace::constant{2}}, draw::categorical{});
  check(whole_hidden{}, reads);
  check(selective_hidden{}, reads);
  check(whole_hidden{}, guided);
  check(selective_hidden{}, guided);
  check(selective_hidden{}, probes);
  check(selective_hidden{}, neither);
  check(selective_hidden{}, any_sampler{neither});
  whole_hidden model;
  CHECK(decode(model, canvas::blank(9), any_hidden_sampler{probes}).cost.of(purpose::probe).rows > 0);
}

TEST_CASE("a sampler without a wish for hidden states has the model asked for logits alone") {
  counted model;
  decode(model, canvas::blank(5), any_hidden_sampler{compose(order::left_to_right{1}, draw::argmax{})});
  CHECK(model.plain == 5);
  CHECK(model.with_states == 0);
  decode(model, canvas::blank(5), any_hidden_sampler{any_sampler{compose(order::left_to_right{1}, draw::argmax{})}});
  CHECK(model.plain == 10);
  CHECK(model.with_states == 0);
  decode(model, canvas::blank(5), any_hidden_sampler{compose(rightmost{}, draw::argmax{})});
  CHECK(model.plain == 10);
  CHECK(model.with_states == 5);
}
