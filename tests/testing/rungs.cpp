#include "lacuna/testing/rungs.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "lacuna/concepts/ragged_model.hpp"
#include "lacuna/problems/markov_chain.hpp"
#include "lacuna/problems/permutation.hpp"

using namespace lacuna;
using namespace lacuna::testing;
using problems::markov_chain;

namespace {

const markov_chain chain = markov_chain::random(3, 4);
const std::vector<token> two_rows{3, 0, 3, 1, 3, 3, 2, 3};

token_batch batch(std::size_t rows, std::size_t length) {
  return view_as_tensor<const token, 2>(two_rows.data(), {rows, length});
}

static_assert(selective_model<as_selective<markov_chain>> && !masked_model<as_selective<markov_chain>>);
static_assert(scores_ragged_batches<as_ragged<markov_chain>> && !masked_model<as_ragged<markov_chain>>);
static_assert(selects_from_ragged_batches<as_selective_ragged<markov_chain>> &&
              !scores_ragged_batches<as_selective_ragged<markov_chain>> && !selective_model<as_selective_ragged<markov_chain>>);
static_assert(masked_model<as_hidden<markov_chain>> && returns_hidden<as_hidden<markov_chain>>);
static_assert(selective_model<as_selective_hidden<markov_chain>> && selects_hidden<as_selective_hidden<markov_chain>> &&
              !masked_model<as_selective_hidden<markov_chain>> && !returns_hidden<as_selective_hidden<markov_chain>>);
static_assert(has_max_length<as_ragged<problems::permutation>> && !has_max_length<as_ragged<markov_chain>>);
static_assert(!has_end_token<as_ragged<markov_chain>> && !has_forbidden_tokens<as_ragged<markov_chain>>);

}  // namespace

TEST_CASE("the selective rung delivers the wanted rows, out of order, from a buffer that does not last") {
  as_selective model{chain};
  const tensor<float, 3> expected = chain(batch(2, 4));
  const std::vector<std::size_t> wanted{0, 2, 5, 7};
  std::vector<std::size_t> order;
  std::vector<std::span<const float>> kept;
  const auto take = [&](std::size_t k, std::span<const float> row) {
    order.push_back(k);
    kept.push_back(row);
    for (std::size_t v = 0; v < 4; ++v) CHECK(row[v] == expected.data()[wanted[k] * 4 + v]);
  };
  model(batch(2, 4), wanted, take);
  CHECK(order == std::vector<std::size_t>{1, 3, 0, 2});
}

TEST_CASE("the ragged rungs score each row as it is alone") {
  const std::vector<std::size_t> offsets{0, 3, 8};
  const ragged_batch x{two_rows, offsets};
  const tensor<float, 2> out = as_ragged{chain}(x);
  REQUIRE(out.shape(0) == 8);
  REQUIRE(out.shape(1) == 4);
  const tensor<float, 3> first = chain(view_as_tensor<const token, 2>(two_rows.data(), {1, 3}));
  const tensor<float, 3> second = chain(view_as_tensor<const token, 2>(two_rows.data() + 3, {1, 5}));
  for (std::size_t i = 0; i < 8; ++i)
    for (std::size_t v = 0; v < 4; ++v) CHECK(out(i, v) == (i < 3 ? first(0, i, v) : second(0, i - 3, v)));

  as_selective_ragged selective{chain};
  const std::vector<std::size_t> wanted{1, 4};
  std::size_t taken = 0;
  const auto take = [&](std::size_t k, std::span<const float> row) {
    ++taken;
    CHECK(row[1] == out(wanted[k], 1));
  };
  selective(x, wanted, take);
  CHECK(taken == 2);
}

TEST_CASE("a hidden state holds the probabilities, whether the position is masked, and the position") {
  as_hidden model{chain};
  const logits_and_hidden both = model.with_hidden(batch(2, 4));
  CHECK(both.logits == chain(batch(2, 4)));
  REQUIRE(both.hidden.shape(2) == model.hidden_size());
  for (std::size_t b = 0; b < 2; ++b)
    for (std::size_t i = 0; i < 4; ++i) {
      for (std::size_t v = 0; v < 4; ++v) CHECK(both.hidden(b, i, v) == doctest::Approx(std::exp(both.logits(b, i, v))));
      CHECK(both.hidden(b, i, 4) == (two_rows[b * 4 + i] == 3 ? 1.0F : 0.0F));
      CHECK(both.hidden(b, i, 5) == static_cast<float>(i));
    }
  as_selective_hidden selective{chain};
  const std::vector<std::size_t> wanted{2, 6};
  const auto logits = [&](std::size_t k, std::span<const float> row) { CHECK(row[0] == both.logits.data()[wanted[k] * 4]); };
  std::size_t taken = 0;
  const auto hidden = [&](std::size_t k, std::span<const float> row) {
    ++taken;
    REQUIRE(row.size() == 6);
    CHECK(row[5] == static_cast<float>(wanted[k] % 4));
  };
  selective.with_hidden(batch(2, 4), wanted, logits, hidden);
  CHECK(taken == 2);
}
