#include "lacuna/problems/markov_chain.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <vector>

using namespace lacuna;
using problems::conditionals;
using problems::markov_chain;

TEST_CASE("a chain that stays: the distance to a known token sets the probability") {
  const markov_chain chain = markov_chain::sticky(2, 0.9);
  const token _ = chain.mask_token();
  const tensor<double, 2> p = conditionals(chain, std::vector<token>{0, _, _, _, 1});
  // Eigenvalue of the two-state chain: 0.8. P(x_k = 0 | x_0 = 0) = (1 + 0.8^k) / 2.
  const double stay1 = 0.9;
  const double stay3 = (1 + 0.8 * 0.8 * 0.8) / 2;
  CHECK(p(1, 0) == doctest::Approx(stay1 * (1 - stay3) / (stay1 * (1 - stay3) + (1 - stay1) * stay3)));
  CHECK(p(2, 0) == doctest::Approx(0.5));
  CHECK(p(0, 0) == doctest::Approx((1 - std::pow(0.8, 4)) / 2));  // known, seen from the other end
}

TEST_CASE("the probability of a whole sequence is the product of its steps") {
  const markov_chain chain({0.25, 0.75}, {0.5, 0.5, 0.1, 0.9});
  CHECK(chain.log_probability(std::vector<token>{1, 0, 0, 1}) == doctest::Approx(std::log(0.75 * 0.1 * 0.5 * 0.5)));
  CHECK(chain.log_probability(std::vector<token>{2, 2, 2}) == doctest::Approx(0));
  CHECK(chain.log_probability(std::vector<token>{}) == 0);
}

TEST_CASE("a long chain neither overflows nor underflows") {
  const markov_chain chain = markov_chain::random(4, 3);
  std::vector<token> row(20000);
  for (std::size_t i = 0; i < row.size(); ++i) row[i] = static_cast<token>(i % 4);
  row[10000] = chain.mask_token();
  CHECK(std::isfinite(chain.log_probability(row)));
  const tensor<double, 2> p = conditionals(chain, row);
  double sum = 0;
  for (std::size_t v = 0; v < 4; ++v) sum += p(10000, v);
  CHECK(sum == doctest::Approx(1));
  CHECK(p(10000, 0) != doctest::Approx(0.25));
}

TEST_CASE("what is not a chain is refused") {
  CHECK_THROWS_AS(markov_chain({0.5, 0.6}, {1, 0, 0, 1}), invalid_argument);
  CHECK_THROWS_WITH_AS(markov_chain({0.5, 0.5}, {1, 0, 0.5, 0.25}),
                       "markov_chain: transition row 1 sums to 0.750000, expected 1", invalid_argument);
  CHECK_THROWS_AS(markov_chain({0.5, 0.5}, {1, 0, 1}), invalid_argument);
  CHECK_THROWS_AS(markov_chain({1.5, -0.5}, {1, 0, 0, 1}), invalid_argument);
  CHECK_THROWS_AS(markov_chain({}, {}), invalid_argument);
}

TEST_CASE("one state is enough") {
  const markov_chain chain = markov_chain::sticky(1, 0.3);
  CHECK(conditionals(chain, std::vector<token>{1, 0, 1})(2, 0) == 1);
}
