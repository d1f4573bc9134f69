#include "lacuna/concepts/model_facts.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <list>
#include <optional>
#include <string>
#include <vector>

using namespace lacuna;

namespace {

/// A model's facts without a model.
struct plain {
  std::size_t vocabulary = 5;
  token mask = 4;
  std::size_t vocabulary_size() const { return vocabulary; }
  token mask_token() const { return mask; }
};
static_assert(!has_forbidden_tokens<plain> && !has_end_token<plain> && !has_max_length<plain> && !has_logits_shift<plain>);

template <class Range>
struct forbidding : plain {
  Range tokens;
  const Range& forbidden_tokens() const { return tokens; }
};
static_assert(has_forbidden_tokens<forbidding<std::vector<token>>>);
static_assert(has_forbidden_tokens<forbidding<std::array<token, 2>>>);
static_assert(has_forbidden_tokens<forbidding<std::list<short>>>, "any range of numbers");
static_assert(!has_forbidden_tokens<forbidding<token>>, "one token is no range");
static_assert(!has_forbidden_tokens<forbidding<std::vector<std::string>>>);

template <class End>
struct ending : plain {
  End value;
  End end_token() const { return value; }
};
static_assert(has_end_token<ending<token>> && has_end_token<ending<std::optional<token>>> && has_end_token<ending<short>>);
static_assert(!has_end_token<ending<std::string>>);

template <class Size>
struct measured : plain {
  Size longest{};
  Size shift{};
  Size max_length() const { return longest; }
  Size logits_shift() const { return shift; }
};
static_assert(has_max_length<measured<unsigned>> && has_logits_shift<measured<unsigned>>);
static_assert(!has_max_length<measured<const char*>> && !has_logits_shift<measured<const char*>>);

struct not_constant : plain {
  std::vector<token> forbidden_tokens();
  token end_token();
  std::size_t max_length();
  std::size_t logits_shift();
};
static_assert(!has_forbidden_tokens<not_constant> && !has_end_token<not_constant> && !has_max_length<not_constant> &&
                  !has_logits_shift<not_constant>,
              "facts are asked of a constant");

}  // namespace

TEST_CASE("a model without optional facts forbids its mask and nothing else") {
  const model_facts f = facts_of(plain{});
  CHECK(f.vocabulary == 5);
  CHECK(f.mask == 4);
  CHECK(f.forbidden == std::vector<token>{4});
  CHECK_FALSE(f.end.has_value());
  CHECK_FALSE(f.max_length.has_value());
  CHECK(f.logits_shift == 0);
}

TEST_CASE("forbidden tokens are sorted, each once, the mask among them") {
  forbidding<std::vector<token>> model;
  model.tokens = {3, 1, 3, 4};
  CHECK(facts_of(model).forbidden == std::vector<token>{1, 3, 4});
  forbidding<std::list<short>> other;
  other.tokens = {2};
  CHECK(facts_of(other).forbidden == std::vector<token>{2, 4});
}

TEST_CASE("an end token may be a token or an optional one") {
  ending<token> always;
  always.value = 1;
  CHECK(facts_of(always).end == 1);
  ending<std::optional<token>> sometimes;
  CHECK_FALSE(facts_of(sometimes).end.has_value());
  sometimes.value = 0;
  CHECK(facts_of(sometimes).end == 0);
}

TEST_CASE("length and shift are read") {
  measured<unsigned> model;
  model.longest = 7;
  model.shift = 1;
  CHECK(facts_of(model).max_length == 7);
  CHECK(facts_of(model).logits_shift == 1);
}

TEST_CASE("facts that contradict each other are refused with what was got and expected") {
  CHECK_THROWS_WITH_AS(facts_of(plain{5, 5}), "model: mask_token() is 5, expected 0 to vocabulary_size() - 1 = 4",
                       invalid_argument);
  CHECK_THROWS_AS(facts_of(plain{5, -1}), invalid_argument);
  CHECK_THROWS_WITH_AS(facts_of(plain{0, 0}), "model: vocabulary_size() is 0, expected 1 to 2147483647", invalid_argument);
  CHECK_THROWS_WITH_AS(facts_of(plain{static_cast<std::size_t>(-1), 0}),
                       "model: vocabulary_size() is 18446744073709551615, expected 1 to 2147483647", invalid_argument);
  CHECK_THROWS_WITH_AS(facts_of(plain{1, 0}), "model: all 1 tokens are forbidden, expected at least one that may be generated",
                       invalid_argument);
  forbidding<std::vector<token>> model;
  model.tokens = {7};
  CHECK_THROWS_WITH_AS(facts_of(model), "model: forbidden token 7, expected 0 to vocabulary_size() - 1 = 4", invalid_argument);
  model.tokens = {0, 1, 2, 3};
  CHECK_THROWS_AS(facts_of(model), invalid_argument);
  ending<token> end;
  end.value = 4;
  CHECK_THROWS_WITH_AS(facts_of(end), "model: end_token() is the mask token 4, expected another one", invalid_argument);
  end.value = 9;
  CHECK_THROWS_AS(facts_of(end), invalid_argument);
}
