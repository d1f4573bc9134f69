#include "lacuna/testing/examined.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <vector>

#include "lacuna/problems/markov_chain.hpp"
#include "lacuna/testing/rungs.hpp"

using namespace lacuna;
using namespace lacuna::testing;
using problems::markov_chain;

TEST_CASE("every rung of a model gives the same answer") {
  const markov_chain chain = markov_chain::random(3, 2);
  const token_rows rows{{3, 0, 3}, {1, 3, 3}};
  examined<const markov_chain> plain(chain, 4);
  const answer expected = plain.all(rows);
  CHECK(expected.width == 4);
  CHECK(expected.values.size() == 24);
  CHECK(expected.deliveries == std::vector<std::size_t>(6, 1));
  const auto agrees = [&](auto model) {
    const answer a = examined<decltype(model)>(model, 4).all(rows);
    CHECK(a.values == expected.values);
    CHECK(a.wrong_shape.empty());
    CHECK(a.wrong_delivery.empty());
  };
  agrees(as_selective{chain});
  agrees(as_ragged{chain});
  agrees(as_selective_ragged{chain});
  agrees(as_hidden{chain});
}

TEST_CASE("what is not delivered stays NaN and is complained about") {
  struct silent {
    std::size_t vocabulary_size() const { return 2; }
    token mask_token() const { return 1; }
    void operator()(const token_batch&, std::span<const std::size_t>, row_sink sink) const {
      const std::vector<float> row{1, 2};
      sink(1, row);
    }
  } model;
  const std::vector<std::size_t> wanted{0, 2};
  const answer a = examined<silent>(model, 2).selected({{1, 1, 1}}, wanted);
  CHECK(std::isnan(a.row(0)[0]));
  CHECK(a.row(1)[1] == 2);
  CHECK(a.wrong_delivery == "row 0 of 2 wanted was delivered 0 times, expected once");
}
