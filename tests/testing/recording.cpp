#include "lacuna/testing/recording.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <vector>

#include "lacuna/problems/markov_chain.hpp"
#include "lacuna/testing/rungs.hpp"

using namespace lacuna;
using namespace lacuna::testing;
using problems::markov_chain;

namespace {

const std::vector<token> tokens{3, 0, 3, 1, 3, 3};
token_batch batch() { return view_as_tensor<const token, 2>(tokens.data(), {2, 3}); }
const auto nothing = [](std::size_t, std::span<const float>) {};

static_assert(masked_model<recording<markov_chain>> && !selective_model<recording<markov_chain>> &&
              !ragged_model<recording<markov_chain>> && !hidden_state_model<recording<markov_chain>>);
static_assert(selective_model<recording<as_selective<markov_chain>>> && !masked_model<recording<as_selective<markov_chain>>>);
static_assert(scores_ragged_batches<recording<as_ragged<markov_chain>>>);
static_assert(selects_from_ragged_batches<recording<as_selective_ragged<markov_chain>>>);
static_assert(returns_hidden<recording<as_hidden<markov_chain>>> && has_hidden_size<recording<as_hidden<markov_chain>>>);
static_assert(selects_hidden<recording<as_selective_hidden<markov_chain>>>);

}  // namespace

TEST_CASE("a plain call is recorded with its rows and answered by the model inside") {
  const markov_chain chain = markov_chain::random(3, 1);
  recording model{chain};
  CHECK(model(batch()) == chain(batch()));
  model(batch());
  REQUIRE(model.calls().size() == 2);
  CHECK(model.rows() == 4);
  CHECK(model.wanted() == 12);
  const recorded_call& c = model.calls()[0];
  CHECK(c.rows() == 2);
  CHECK(std::vector<token>(c.row(1).begin(), c.row(1).end()) == std::vector<token>{1, 3, 3});
  CHECK_FALSE(c.with_hidden);
  model.forget();
  CHECK(model.calls().empty());
}

TEST_CASE("a selective call is recorded with what was wanted") {
  recording model{as_selective_hidden{markov_chain::random(3, 1)}};
  const std::vector<std::size_t> wanted{0, 4};
  model(batch(), wanted, nothing);
  model.with_hidden(batch(), wanted, nothing, nothing);
  REQUIRE(model.calls().size() == 2);
  CHECK(model.calls()[0].wanted == wanted);
  CHECK(model.wanted() == 4);
  CHECK_FALSE(model.calls()[0].with_hidden);
  CHECK(model.calls()[1].with_hidden);
}

TEST_CASE("a ragged call is recorded with the length of each row") {
  recording whole{as_ragged{markov_chain::random(3, 1)}};
  recording selective{as_selective_ragged{markov_chain::random(3, 1)}};
  const std::vector<std::size_t> offsets{0, 1, 6};
  const std::vector<std::size_t> wanted{0, 5};
  whole(ragged_batch{tokens, offsets});
  selective(ragged_batch{tokens, offsets}, wanted, nothing);
  CHECK(whole.calls()[0].offsets == offsets);
  CHECK(whole.wanted() == 6);
  CHECK(selective.calls()[0].row(1).size() == 5);
  CHECK(selective.wanted() == 2);
}
