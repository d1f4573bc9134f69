// What decoding does to a distribution that is known: one token a step reproduces it whatever the order, all at once gives the
// product of the marginals. Every claim has its negative control.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "lacuna/draw/argmax.hpp"
#include "lacuna/draw/categorical.hpp"
#include "lacuna/order/ancestral.hpp"
#include "lacuna/order/blocks.hpp"
#include "lacuna/order/entropy_bound.hpp"
#include "lacuna/order/left_to_right.hpp"
#include "lacuna/order/random.hpp"
#include "lacuna/order/top_k.hpp"
#include "lacuna/problems/joint_table.hpp"
#include "lacuna/problems/latin_square.hpp"
#include "lacuna/problems/markov_chain.hpp"
#include "lacuna/problems/permutation.hpp"
#include "lacuna/problems/potts_lattice.hpp"
#include "lacuna/rank/confidence.hpp"
#include "lacuna/rank/drawn.hpp"
#include "lacuna/rank/entropy.hpp"
#include "lacuna/sample/compose.hpp"
#include "lacuna/sample/decode.hpp"
#include "lacuna/testing/rungs.hpp"
#include "tests/support/statistics_test.hpp"

using namespace lacuna;
using lacuna::testing::chi_square;
using lacuna::testing::chi_square_limit;
using problems::joint_table;

namespace {

constexpr std::size_t runs = 20000;
constexpr std::uint64_t seed = 20260214;

template <class Order>
auto sampler(Order order) {
  return compose(std::move(order), draw::categorical{});
}
/// All positions in one step.
const order::random<> at_once{pace::constant{100}};

/// How often each assignment of the table comes out of `runs` rows that start from one canvas.
template <class Model, class Sampler>
std::vector<std::size_t> counts(const Model& model, const joint_table& table, const canvas& start, const Sampler& s) {
  const std::vector<canvas> starts(runs, start);
  const batch_result out = decode(model, std::span<const canvas>(starts), s, decode_options{seed, unlimited});
  std::vector<std::size_t> n(table.size());
  for (const decode_result& r : out.rows) ++n[table.index_of(r.tokens)];
  return n;
}

/// Pearson's statistic over what the limit allows for a sample from p: below 1 is a sample from p.
double misfit(const std::vector<std::size_t>& n, const std::vector<double>& p) {
  std::size_t possible = 0;
  double rarest = 1;
  for (const double v : p)
    if (v > 0) {
      ++possible;
      rarest = std::min(rarest, v);
    }
  REQUIRE(rarest * static_cast<double>(runs) >= 5);  // or Pearson's statistic does not have its distribution
  return chi_square(n, p) / chi_square_limit(possible - 1);
}
std::vector<double> probabilities(const joint_table& t) { return {t.probabilities().begin(), t.probabilities().end()}; }

/// The product of the marginals: what independent draws give.
std::vector<double> independent(const joint_table& t) {
  const tensor<double, 2> p = conditionals(t, std::vector<token>(t.length(), t.mask_token()));
  std::vector<double> product(t.size(), 1.0);
  for (std::size_t k = 0; k < t.size(); ++k)
    for (std::size_t i = 0; i < t.length(); ++i) product[k] *= p(i, static_cast<std::size_t>(t.assignment(k)[i]));
  return product;
}

/// From the right: the last number of a hidden state of as_hidden is the position.
struct last_of_hidden {
  static constexpr auto needs = statistics::hidden;
  double operator()(const step_view& view, std::size_t k) const { return static_cast<double>(view.hidden(k).back()); }
};

/// Three correlated positions of three states.
const joint_table table = joint_table::random(3, 3, 2);
const canvas blank = canvas::blank(3);

}  // namespace

TEST_CASE("one token a step reproduces the joint distribution in any order") {
  const std::vector<double> p = probabilities(table);
  const auto fits = [&](auto order) { CHECK(misfit(counts(table, table, blank, sampler(order)), p) < 1); };
  fits(order::random{});
  fits(order::left_to_right{});
  fits(order::top_k{});
  fits(order::top_k{rank::entropy{}, pace::constant{1}});
  fits(order::top_k{[](const step_view& view, std::size_t k) { return static_cast<double>(view.positions[k]); },
                    pace::constant{1}});
  fits(order::entropy_bound{0});
  fits(order::blocks{2, order::top_k{}});
}

TEST_CASE("all at once gives the product of the marginals and not the joint distribution") {
  const std::vector<std::size_t> n = counts(table, table, blank, sampler(at_once));
  CHECK(misfit(n, independent(table)) < 1);
  CHECK(misfit(n, probabilities(table)) > 10);
}

TEST_CASE("all at once is exact where the positions are independent") {
  const joint_table free = joint_table::independent({{1, 2, 3}, {3, 3, 1}, {1, 1, 1}});
  CHECK(misfit(counts(free, free, blank, sampler(at_once)), probabilities(free)) < 1);
}

TEST_CASE("two at a time lies between one at a time and all at once") {
  const auto distance = [](std::size_t k) {
    return chi_square(counts(table, table, blank, sampler(order::random{pace::constant{k}})), probabilities(table));
  };
  const double one = distance(1);
  const double two = distance(2);
  const double three = distance(3);
  CHECK(one * 3 < two);
  CHECK(two * 1.5 < three);
}

TEST_CASE("the ancestral sampler approaches the joint distribution as its grid gets finer") {
  const std::vector<double> p = probabilities(table);
  CHECK(misfit(counts(table, table, blank, sampler(order::ancestral{4096})), p) < 1);
  CHECK(misfit(counts(table, table, blank, sampler(order::ancestral{1})), p) > 10);
  CHECK(misfit(counts(table, table, blank, sampler(order::ancestral{2})), p) > 1);
}

TEST_CASE("an order that looks at the tokens drawn changes what is drawn, even one at a time") {
  // The position whose drawn token is the likeliest goes first: likely tokens are committed more often than their share.
  const auto n = counts(table, table, blank, sampler(order::top_k{rank::drawn{}, pace::constant{1}}));
  CHECK(misfit(n, probabilities(table)) > 2);
}

TEST_CASE("infill draws from the distribution given what is known") {
  const std::vector<std::size_t> gaps{0, 2};
  const canvas start = canvas::infill({0, 1, 0}, gaps);
  const double known = table.probability(std::vector<token>{3, 1, 3});
  std::vector<double> p(table.size());
  for (std::size_t k = 0; k < table.size(); ++k) p[k] = table.assignment(k)[1] == 1 ? table.probabilities()[k] / known : 0.0;
  CHECK(misfit(counts(table, table, start, sampler(order::random{})), p) < 1);
  CHECK(misfit(counts(table, table, start, sampler(at_once)), p) > 1);
}

TEST_CASE("argmax does not draw from the distribution") {
  const auto n = counts(table, table, blank, compose(order::left_to_right{}, draw::argmax{}));
  std::size_t different = 0;
  for (const std::size_t c : n) different += c > 0 ? 1U : 0U;
  CHECK(different == 1);
}

TEST_CASE("a Markov chain, a lattice and a permutation come out with their distribution one at a time, and not at once") {
  const auto exact = [](const auto& problem, std::size_t length) {
    const joint_table truth = joint_table::of(problem, length);
    const std::vector<double> p = probabilities(truth);
    CHECK(misfit(counts(problem, truth, canvas::blank(length), sampler(order::random{})), p) < 1);
    CHECK(misfit(counts(problem, truth, canvas::blank(length), sampler(at_once)), p) > 10);
  };
  exact(problems::markov_chain::sticky(2, 0.7), 6);
  exact(problems::potts_lattice({.rows = 2, .columns = 3, .states = 2, .coupling = 0.8}), 6);
  exact(problems::permutation(4), 4);
}

TEST_CASE("Latin squares are uniform one at a time, and mostly wrong at once") {
  const problems::latin_square squares(3);
  const std::vector<canvas> starts(6000, canvas::blank(9));
  const auto out = decode(squares, std::span<const canvas>(starts), sampler(order::random{}), decode_options{seed, unlimited});
  std::vector<std::size_t> n(squares.size());
  for (const decode_result& r : out.rows) {
    REQUIRE(squares.is_valid(r.tokens));
    for (std::size_t k = 0; k < squares.size(); ++k)
      if (std::equal(r.tokens.begin(), r.tokens.end(), squares.square(k).begin())) ++n[k];
  }
  CHECK(chi_square(n, std::vector<double>(12, 1.0 / 12)) < chi_square_limit(11));

  const auto wrong = decode(squares, std::span<const canvas>(starts), sampler(at_once), decode_options{seed, unlimited});
  std::size_t valid = 0;
  for (const decode_result& r : wrong.rows) valid += squares.is_valid(r.tokens) ? 1U : 0U;
  CHECK(valid < 20);  // 12 of 3^9 = 19683: 4 expected
}

TEST_CASE("every rung of a model decodes to the same rows") {
  const problems::markov_chain chain = problems::markov_chain::random(3, 8);
  std::vector<canvas> starts;
  for (std::size_t i = 0; i < 60; ++i) starts.push_back(canvas::blank(1 + i % 7));
  const auto rows = [&](auto model, const auto& s) {
    std::vector<std::vector<token>> tokens;
    for (const decode_result& r : decode(model, std::span<const canvas>(starts), s, decode_options{seed, 16}).rows)
      tokens.push_back(r.tokens);
    return tokens;
  };
  const auto s = sampler(order::top_k{rank::confidence{}, pace::constant{2}});
  const auto expected = rows(chain, s);
  CHECK(rows(testing::as_selective{chain}, s) == expected);
  CHECK(rows(testing::as_ragged{chain}, s) == expected);
  CHECK(rows(testing::as_selective_ragged{chain}, s) == expected);
  CHECK(rows(testing::as_hidden{chain}, s) == expected);
}

TEST_CASE("an order that reads hidden states decodes as one that knows what they hold") {
  const problems::markov_chain chain = problems::markov_chain::random(3, 8);
  std::vector<canvas> starts;
  for (std::size_t i = 0; i < 60; ++i) starts.push_back(canvas::blank(1 + i % 7));
  const auto from_the_right = [](const step_view& view, std::size_t k) { return static_cast<double>(view.positions[k]); };
  const auto rows = [&](auto model, auto rank) {
    std::vector<std::vector<token>> tokens;
    const auto s = sampler(order::top_k{rank, pace::constant{1}});
    for (const decode_result& r : decode(model, std::span<const canvas>(starts), s, decode_options{seed, unlimited}).rows)
      tokens.push_back(r.tokens);
    return tokens;
  };
  const auto expected = rows(chain, from_the_right);
  CHECK(rows(testing::as_hidden{chain}, last_of_hidden{}) == expected);
  CHECK(rows(testing::as_selective_hidden{chain}, last_of_hidden{}) == expected);
}
