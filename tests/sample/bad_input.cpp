// Wrong values are refused before the model is asked, in words.
#include <doctest/doctest.h>

#include <vector>

#include "lacuna/core/errors.hpp"
#include "lacuna/sample/compose.hpp"
#include "lacuna/sample/decode.hpp"
#include "lacuna/sample/run.hpp"
#include "tests/sample/models.hpp"
#include "tests/sample/policies.hpp"

using namespace lacuna;
using namespace lacuna::tests;

namespace {

const auto fine = compose(order::left_to_right{}, draw::argmax{});

/// Decodes a batch whose row 1 is `c`, and checks that the model is not asked.
template <class Sampler>
void decode_second(whole model, const canvas& c, const Sampler& sampler, const decode_options& options = {}) {
  const std::vector<canvas> rows{canvas::blank(2), c};
  try {
    decode(model, std::span{rows}, sampler, options);
  } catch (...) {
    CHECK(model.calls == 0);
    throw;
  }
}

struct needs_two {
  int n = 2;
  void validate() const {
    if (n != 2) throw invalid_argument("needs_two: n = " + std::to_string(n) + ", expected 2");
  }
  token draw(std::span<double> log_p, random_stream&) const { return argmax(log_p); }
  void remask(const step_view&, const committed_view&, selection&, const step_random&) const {}
};

}  // namespace

TEST_CASE("a canvas that the model cannot take") {
  whole model;
  model.longest = 5;
  CHECK_THROWS_WITH_AS(decode_second(model, canvas::blank(6), fine),
                       "decode: row 1: canvas of length 6, the model takes at most 5", invalid_argument);
  CHECK_THROWS_WITH_AS(decode_second(model, canvas(), fine), "decode: row 1: canvas of length 0, expected at least 1 position",
                       invalid_argument);
  CHECK_NOTHROW(decode_second(model, canvas::blank(5), fine));
}

TEST_CASE("a token that the model does not know") {
  canvas c = canvas::blank(4);
  c.fix(2, 8);
  CHECK_THROWS_WITH_AS(decode_second({}, c, fine), "decode: row 1: token 8 at position 2, expected 0 to 7", invalid_argument);
  c.fix(2, -1);
  CHECK_THROWS_WITH_AS(decode_second({}, c, fine), "decode: row 1: token -1 at position 2, expected 0 to 7", invalid_argument);
  c.mask(2);  // what lies under a mask does not matter
  CHECK_NOTHROW(decode_second({}, c, fine));
}

TEST_CASE("parameters out of range, of any policy of the composition") {
  CHECK_THROWS_WITH_AS(
      decode_second({}, canvas::blank(2), compose(order::top_k{rank::entropy{}, pace::linear{0}}, draw::argmax{})),
      "pace: steps = 0, expected at least 1", invalid_argument);
  CHECK_THROWS_WITH_AS(decode_second({}, canvas::blank(2), compose(order::left_to_right{}, needs_two{3})),
                       "needs_two: n = 3, expected 2", invalid_argument);
  CHECK_THROWS_WITH_AS(decode_second({}, canvas::blank(2), compose(timed{}, draw::argmax{}, needs_two{4})),
                       "needs_two: n = 4, expected 2", invalid_argument);
  CHECK_NOTHROW(decode_second({}, canvas::blank(2), compose(timed{}, needs_two{}, needs_two{})));
}

TEST_CASE("an ending policy needs a model that has an end token") {
  const char* message = "sampler: the ending policy needs a model with end_token(), this one has none";
  CHECK_THROWS_WITH_AS(decode_second({}, canvas::blank(2), compose(order::left_to_right{}, draw::argmax{}, ending::stop{})),
                       message, invalid_argument);
  CHECK_THROWS_WITH_AS(decode_second({}, canvas::blank(2), compose(order::left_to_right{}, draw::argmax{}, ending::last<>{})),
                       message, invalid_argument);
  CHECK_NOTHROW(decode_second({}, canvas::blank(2), compose(order::left_to_right{}, draw::argmax{}, ending::ignore{})));
}

TEST_CASE("no rows in a call") {
  CHECK_THROWS_WITH_AS(decode_second({}, canvas::blank(2), fine, {.rows_per_call = 0}),
                       "decode: rows_per_call = 0, expected at least 1", invalid_argument);
}

TEST_CASE("facts of the model that contradict each other") {
  whole model;
  model.mask = 8;
  CHECK_THROWS_WITH_AS(decode_second(model, canvas::blank(2), fine),
                       "model: mask_token() is 8, expected 0 to vocabulary_size() - 1 = 7", invalid_argument);
}

TEST_CASE("one canvas and a run of one's own are refused alike") {
  whole model;
  model.longest = 5;
  CHECK_THROWS_WITH_AS(decode(model, canvas::blank(6), fine, 1), "decode: row 0: canvas of length 6, the model takes at most 5",
                       invalid_argument);
  CHECK_THROWS_WITH_AS(start(model, fine, canvas::blank(6)), "run: canvas of length 6, the model takes at most 5",
                       invalid_argument);
  CHECK_THROWS_AS(start(model, compose(order::left_to_right{}, draw::argmax{}, ending::stop{}), canvas::blank(3)),
                  invalid_argument);
  CHECK(model.calls == 0);
}
