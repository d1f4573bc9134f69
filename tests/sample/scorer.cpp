// What a model hands back is checked, and the message says what was got and what was expected.
#include <doctest/doctest.h>

#include <vector>

#include "lacuna/core/errors.hpp"
#include "lacuna/rank/left_to_right.hpp"
#include "lacuna/sample/compose.hpp"
#include "lacuna/sample/decode.hpp"
#include "tests/sample/models.hpp"
#include "tests/sample/policies.hpp"

using namespace lacuna;
using namespace lacuna::tests;

namespace {

/// Returns logits, and hidden states, of the given shapes.
struct wrong_shapes : fake {
  std::array<std::size_t, 3> shape{};
  std::array<std::size_t, 3> hidden_shape{};
  struct both {
    tensor<float, 3> logits;
    tensor<float, 3> hidden;
  };
  [[nodiscard]] std::size_t hidden_size() const { return 2; }
  tensor<float, 3> operator()(const token_batch&) { return tensor<float, 3>(shape, 0.0F); }
  both with_hidden(const token_batch&) { return {tensor<float, 3>(shape, 0.0F), tensor<float, 3>(hidden_shape, 0.0F)}; }
};

struct wrong_ragged : fake {
  tensor<float, 2> operator()(const ragged_batch& x) { return tensor<float, 2>({x.tokens.size() + 1, vocabulary}, 0.0F); }
};

/// Does with the sinks as it is told.
struct wrong_deliveries : fake {
  std::function<void(std::size_t wanted, const row_sink& logits, const row_sink& hidden)> deliver;
  [[nodiscard]] std::size_t hidden_size() const { return 2; }
  void operator()(const token_batch&, std::span<const std::size_t> wanted, row_sink sink) {
    const auto ignore = [](std::size_t, std::span<const float>) {};
    deliver(wanted.size(), sink, row_sink{ignore});
  }
  void with_hidden(const token_batch&, std::span<const std::size_t> wanted, row_sink sink, row_sink hidden) {
    deliver(wanted.size(), sink, hidden);
  }
};

struct wants_states {
  static constexpr statistics needs = statistics::hidden;
  void select(const step_view& view, selection& out, const step_random& rng) const {
    order::left_to_right{}.select(view, out, rng);
  }
};

template <class Order = order::top_k<rank::left_to_right>, class Model>
void decode_two(Model model, const Order& order = {}) {
  const std::vector<canvas> rows(2, canvas::blank(3));
  decode(model, std::span{rows}, compose(order, draw::argmax{}), {});
}

const std::vector<float> row8(8, 0.0F);
const std::vector<float> row7(7, 0.0F);
const std::vector<float> row2(2, 0.0F);

wrong_deliveries told(std::function<void(std::size_t, const row_sink&, const row_sink&)> deliver) {
  wrong_deliveries model;
  model.deliver = std::move(deliver);
  return model;
}

}  // namespace

TEST_CASE("logits of the wrong shape") {
  wrong_shapes model;
  model.shape = {2, 3, 9};
  CHECK_THROWS_WITH_AS(decode_two(model), "model: logits of shape [2, 3, 9], expected [2, 3, 8]", model_error);
  model.shape = {1, 3, 8};
  CHECK_THROWS_WITH_AS(decode_two(model), "model: logits of shape [1, 3, 8], expected [2, 3, 8]", model_error);
  model.shape = {2, 3, 8};
  CHECK_NOTHROW(decode_two(model));
  CHECK_THROWS_WITH_AS(decode_two(wrong_ragged{}), "model: logits of shape [7, 8], expected [6, 8]", model_error);
}

TEST_CASE("hidden states of the wrong shape") {
  wrong_shapes model;
  model.shape = {2, 3, 8};
  model.hidden_shape = {2, 3, 1};
  CHECK_THROWS_WITH_AS(decode_two(model, wants_states{}), "model: hidden states of shape [2, 3, 1], expected [2, 3, 2]",
                       model_error);
  model.hidden_shape = {2, 3, 2};
  CHECK_NOTHROW(decode_two(model, wants_states{}));
}

TEST_CASE("rows that do not come") {
  CHECK_THROWS_WITH_AS(decode_two(told([](std::size_t n, const row_sink& sink, const row_sink&) {
                         for (std::size_t k = 0; k + 1 < n; ++k) sink(k, row8);
                       })),
                       "model: delivered 5 rows of logits, expected the 6 that were wanted", model_error);
}

TEST_CASE("rows that come twice, or that nobody wanted") {
  CHECK_THROWS_WITH_AS(decode_two(told([](std::size_t, const row_sink& sink, const row_sink&) {
                         sink(4, row8);
                         sink(4, row8);
                       })),
                       "model: delivered row of logits 4 twice, expected each once", model_error);
  CHECK_THROWS_WITH_AS(decode_two(told([](std::size_t n, const row_sink& sink, const row_sink&) { sink(n, row8); })),
                       "model: delivered row of logits 6, expected less than 6", model_error);
}

TEST_CASE("rows of the wrong width") {
  CHECK_THROWS_WITH_AS(decode_two(told([](std::size_t, const row_sink& sink, const row_sink&) { sink(0, row7); })),
                       "model: delivered row of logits 0 with 7 numbers, expected vocabulary_size() = 8", model_error);
}

TEST_CASE("hidden states that do not come, come twice, or have the wrong width") {
  const auto logits = [](std::size_t n, const row_sink& sink) {
    for (std::size_t k = 0; k < n; ++k) sink(k, row8);
  };
  CHECK_THROWS_WITH_AS(decode_two(told([&](std::size_t n, const row_sink& sink, const row_sink& hidden) {
                                    logits(n, sink);
                                    hidden(0, row2);
                                  }),
                                  wants_states{}),
                       "model: delivered 1 hidden states, expected the 6 that were wanted", model_error);
  CHECK_THROWS_WITH_AS(decode_two(told([&](std::size_t n, const row_sink& sink, const row_sink& hidden) {
                                    logits(n, sink);
                                    hidden(6, row2);
                                  }),
                                  wants_states{}),
                       "model: delivered hidden state 6, expected less than 6", model_error);
  CHECK_THROWS_WITH_AS(decode_two(told([&](std::size_t n, const row_sink& sink, const row_sink& hidden) {
                                    logits(n, sink);
                                    hidden(0, row2);
                                    hidden(0, row2);
                                  }),
                                  wants_states{}),
                       "model: delivered hidden state 0 twice, expected each once", model_error);
  CHECK_THROWS_WITH_AS(decode_two(told([&](std::size_t n, const row_sink& sink, const row_sink& hidden) {
                                    logits(n, sink);
                                    hidden(0, row7);
                                  }),
                                  wants_states{}),
                       "model: delivered hidden state 0 with 7 numbers, expected hidden_size() = 2", model_error);
}

TEST_CASE("a model whose hidden states grow is held to the width that it first told") {
  struct grows : wrong_shapes {
    mutable std::size_t asked = 0;
    [[nodiscard]] std::size_t hidden_size() const { return asked++ == 0 ? 2 : 900; }
  } model;
  model.shape = {2, 3, 8};
  model.hidden_shape = {2, 3, 900};
  CHECK_THROWS_WITH_AS(decode_two(model, wants_states{}), "model: hidden states of shape [2, 3, 900], expected [2, 3, 2]",
                       model_error);
  model.asked = 0;
  model.hidden_shape = {2, 3, 2};
  CHECK_NOTHROW(decode_two(model, wants_states{}));
}

TEST_CASE("a model that breaks its contract ends the whole batch") {
  // there is no telling which rows of a call with a wrong shape are right
  wrong_shapes model;
  model.shape = {1, 3, 8};
  std::size_t steps = 0;
  const std::vector<canvas> rows(2, canvas::blank(3));
  CHECK_THROWS_AS(
      decode(model, std::span{rows}, compose(order::left_to_right{}, draw::argmax{}), {}, [&](const step_event&) { ++steps; }),
      model_error);
  CHECK(steps == 0);
}
