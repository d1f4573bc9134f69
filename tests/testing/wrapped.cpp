#include "lacuna/testing/wrapped.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "lacuna/concepts/ragged_model.hpp"
#include "lacuna/problems/markov_chain.hpp"
#include "lacuna/testing/function_model.hpp"

using namespace lacuna;
using testing::wrapped;

static_assert(!decodable_model<wrapped<problems::markov_chain>>, "the call operators are the wrapper's own business");
static_assert(!has_end_token<wrapped<problems::markov_chain>> && !has_max_length<wrapped<problems::markov_chain>>);

TEST_CASE("the facts of a model show through its wrapper") {
  const auto nothing = [](std::span<const token>, std::size_t, std::span<float>) {};
  const testing::function_model model{
      {.vocabulary = 6, .mask = 5, .forbidden = {4}, .end = 3, .max_length = 9, .logits_shift = 1}, nothing};
  const model_facts inside = facts_of(model);
  const model_facts outside = facts_of(wrapped{model});
  CHECK(outside.vocabulary == inside.vocabulary);
  CHECK(outside.mask == inside.mask);
  CHECK(outside.forbidden == inside.forbidden);
  CHECK(outside.end == inside.end);
  CHECK(outside.max_length == inside.max_length);
  CHECK(outside.logits_shift == inside.logits_shift);
}
