#include "lacuna/problems/conditionals.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "lacuna/core/random.hpp"
#include "lacuna/core/row.hpp"
#include "lacuna/problems/joint_table.hpp"
#include "lacuna/problems/latin_square.hpp"
#include "lacuna/problems/markov_chain.hpp"
#include "lacuna/problems/permutation.hpp"
#include "lacuna/problems/potts_lattice.hpp"

using namespace lacuna;
using namespace lacuna::problems;

namespace {

static_assert(masked_model<joint_table> && exact_problem<joint_table>);
static_assert(masked_model<markov_chain> && exact_problem<markov_chain>);
static_assert(masked_model<potts_lattice> && exact_problem<potts_lattice>);
static_assert(masked_model<permutation> && exact_problem<permutation>);
static_assert(masked_model<latin_square> && exact_problem<latin_square>);
static_assert(masked_model<const latin_square>, "a problem is used by any number of threads at once");

/// A row in which each position is masked with probability one half and otherwise holds a random state.
std::vector<token> random_row(std::size_t length, std::size_t states, random_stream& rng) {
  std::vector<token> row(length, static_cast<token>(states));
  for (token& t : row)
    if (rng.bernoulli(0.5)) t = static_cast<token>(rng.below(states));
  return row;
}

/// Calls f with a problem of each kind and a length it has.
template <class F>
void each_problem(F f) {
  f(joint_table::random(4, 3, 11), std::size_t{4});
  f(joint_table::random(5, 2, 12, 4), std::size_t{3});
  f(markov_chain::random(3, 13), std::size_t{6});
  f(markov_chain::sticky(2, 1.0), std::size_t{5});  // moves are impossible
  f(potts_lattice({.rows = 2, .columns = 3, .states = 2, .coupling = 0.7, .field = {0.2, -0.1}}), std::size_t{6});
  f(potts_lattice({.rows = 3, .columns = 2, .states = 3, .coupling = -0.9}), std::size_t{5});
  f(potts_lattice({.rows = 2, .columns = 3, .states = 3, .coupling = -infinity}), std::size_t{6});
  f(permutation(4), std::size_t{4});
  f(permutation(5), std::size_t{3});
  f(latin_square(3), std::size_t{9});
  f(latin_square(3), std::size_t{4});
}

}  // namespace

TEST_CASE("the rows of every problem are ratios of its probabilities") {
  each_problem([](const auto& problem, std::size_t length) {
    random_stream rng(1, stream_use::other, length, problem.states());
    for (int repeat = 0; repeat < 40; ++repeat) {
      std::vector<token> row = random_row(length, problem.states(), rng);
      const tensor<double, 2> p = conditionals(problem, row);
      for (std::size_t i = 0; i < length; ++i) {
        const token own = row[i];
        row[i] = problem.mask_token();
        const double context = problem.log_probability(row);
        for (std::size_t v = 0; v < problem.states(); ++v) {
          row[i] = static_cast<token>(v);
          const double expected = context > -infinity ? std::exp(problem.log_probability(row) - context)
                                                      : 1.0 / static_cast<double>(problem.states());
          CHECK(p(i, v) == doctest::Approx(expected).epsilon(1e-10));
        }
        row[i] = own;
      }
    }
  });
}

TEST_CASE("the probabilities of every problem sum to one, and those of partly masked rows are sums over the masks") {
  each_problem([](const auto& problem, std::size_t length) {
    // The constructor of the table normalises, so that a wrong total shows as a difference.
    const joint_table table = joint_table::of(problem, length);
    random_stream rng(2, stream_use::other, length, problem.states());
    for (int repeat = 0; repeat < 40; ++repeat) {
      const std::vector<token> row = random_row(length, problem.states(), rng);
      CHECK(std::exp(problem.log_probability(row)) == doctest::Approx(table.probability(row)).epsilon(1e-10));
    }
  });
}

TEST_CASE("logits are the logarithms of the conditionals; the mask and impossible tokens are -infinity") {
  const joint_table problem(2, 2, {0.5, 0.25, 0, 0.25});
  const token _ = problem.mask_token();
  const std::vector<token> x{_, _, 1, _, _, 0};
  const tensor<float, 3> out = problem(view_as_tensor(x.data(), std::array<std::size_t, 2>{3, 2}));
  REQUIRE(out.shape(0) == 3);
  REQUIRE(out.shape(1) == 2);
  REQUIRE(out.shape(2) == 3);
  constexpr float none = -std::numeric_limits<float>::infinity();
  const auto log_of = [](double p) { return static_cast<float>(std::log(p)); };
  CHECK(out(0, 0, 0) == log_of(0.75));
  CHECK(out(0, 0, 1) == log_of(0.25));
  CHECK(out(0, 0, 2) == none);
  CHECK(out(0, 1, 0) == log_of(0.5));
  CHECK(out(1, 1, 0) == none);
  CHECK(out(1, 1, 1) == 0);
  // A known position: what the others say about it.
  CHECK(out(1, 0, 0) == log_of(0.75));
  CHECK(out(1, 0, 1) == log_of(0.25));
  CHECK(out(2, 0, 0) == 0);
  CHECK(out(2, 1, 0) == log_of(0.5));
}

TEST_CASE("a context of probability zero is followed by anything, except where leaving one token out makes it possible") {
  const permutation problem(4);
  const token _ = problem.mask_token();
  const tensor<double, 2> p = conditionals(problem, std::vector<token>{2, 2, _, 0});
  for (std::size_t v = 0; v < 4; ++v) CHECK(p(2, v) == 0.25);
  // Without the first 2, position 0 may be anything but 2 and 0.
  CHECK(p(0, 1) == 0.5);
  CHECK(p(0, 3) == 0.5);
  CHECK(p(0, 2) == 0);
  // Without the 0 the two 2s remain.
  for (std::size_t v = 0; v < 4; ++v) CHECK(p(3, v) == 0.25);
}

TEST_CASE("tokens outside the vocabulary and rows that are too long are refused") {
  const permutation problem(3);
  CHECK_THROWS_WITH_AS(conditionals(problem, std::vector<token>{0, 4}), "problem: token 4 at position 1, expected 0 to 3",
                       invalid_argument);
  CHECK_THROWS_AS(conditionals(problem, std::vector<token>{-1}), invalid_argument);
  CHECK_THROWS_WITH_AS((void)problem.log_probability(std::vector<token>(4, 3)),
                       "problem: a row of 4 tokens, expected at most 3", invalid_argument);
}

TEST_CASE("an empty batch has an empty result") {
  const markov_chain chain = markov_chain::sticky(3, 0.5);
  const std::vector<token> none;
  CHECK(chain(view_as_tensor(none.data(), std::array<std::size_t, 2>{0, 4})).size() == 0);
  CHECK(chain(view_as_tensor(none.data(), std::array<std::size_t, 2>{2, 0})).size() == 0);
}
