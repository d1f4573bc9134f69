#include "lacuna/problems/joint_table.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <vector>

#include "lacuna/core/row.hpp"

using namespace lacuna;
using problems::joint_table;

namespace {
constexpr token m = 2;  // the mask of a table with two states
}

TEST_CASE("a table of weights is normalised and read with the first position as the most significant digit") {
  const joint_table table(2, 2, {1, 2, 3, 4});
  CHECK(table.length() == 2);
  CHECK(table.states() == 2);
  CHECK(table.vocabulary_size() == 3);
  CHECK(table.mask_token() == m);
  CHECK(table.probability(std::vector<token>{0, 1}) == doctest::Approx(0.2));
  CHECK(table.probability(std::vector<token>{1, 0}) == doctest::Approx(0.3));
  CHECK(table.probability(std::vector<token>{1, m}) == doctest::Approx(0.7));
  CHECK(table.probability(std::vector<token>{m, m}) == doctest::Approx(1));
  CHECK(table.probability(std::vector<token>{m}) == doctest::Approx(1));
  for (std::size_t k = 0; k < table.size(); ++k) CHECK(table.index_of(table.assignment(k)) == k);
}

TEST_CASE("conditionals of a table") {
  const joint_table table(2, 2, {1, 2, 3, 4});
  CHECK(table.conditional(std::vector<token>{m, 1}, 0)[1] == doctest::Approx(4.0 / 6));
  CHECK(table.conditional(std::vector<token>{m, m}, 1)[0] == doctest::Approx(0.4));
  CHECK_THROWS_AS((void)table.conditional(std::vector<token>{m, m}, 2), invalid_argument);
}

TEST_CASE("entropy and mutual information of known tables") {
  const std::vector<token> blank{m, m};
  SUBCASE("two equal bits: one bit of each") {
    const joint_table copies(2, 2, {1, 0, 0, 1});
    CHECK(copies.entropy(blank) == doctest::Approx(std::log(2.0)));
    CHECK(copies.mutual_information(blank)(0, 1) == doctest::Approx(std::log(2.0)));
    CHECK(copies.mutual_information(blank)(1, 0) == doctest::Approx(std::log(2.0)));
    CHECK(copies.mutual_information(blank)(0, 0) == 0);
    CHECK(copies.entropy(std::vector<token>{0, m}) == 0);
  }
  SUBCASE("two free bits: none shared") {
    const joint_table free(2, 2, {1, 1, 1, 1});
    CHECK(free.entropy(blank) == doctest::Approx(2 * std::log(2.0)));
    CHECK(std::abs(free.mutual_information(blank)(0, 1)) < 1e-15);
  }
  SUBCASE("parity of three bits: pairs are independent until the third is known") {
    const joint_table parity(3, 2, {1, 0, 0, 1, 0, 1, 1, 0});
    CHECK(std::abs(parity.mutual_information(std::vector<token>{m, m, m})(0, 1)) < 1e-15);
    CHECK(parity.mutual_information(std::vector<token>{m, m, 1})(0, 1) == doctest::Approx(std::log(2.0)));
    CHECK(parity.mutual_information(std::vector<token>{m, m, 1})(0, 2) == 0);
  }
  SUBCASE("an impossible context") {
    const joint_table copies(2, 2, {1, 0, 0, 0});
    CHECK(copies.entropy(std::vector<token>{1, m}) == 0);
    CHECK(copies.mutual_information(std::vector<token>{1, m})(0, 1) == 0);
  }
}

TEST_CASE("mutual information is what knowing one position takes from the entropy of the other") {
  const joint_table table = joint_table::random(4, 3, 5);
  const token _ = table.mask_token();
  std::vector<token> row{_, 1, _, _};
  const tensor<double, 2> information = table.mutual_information(row);
  for (const auto& [i, j] : {std::pair<std::size_t, std::size_t>{0, 2}, {0, 3}, {2, 3}, {3, 0}}) {
    const auto h = [&](const std::vector<double>& p) {
      double sum = 0;
      for (const double v : p) sum -= v * std::log(v);
      return sum;
    };
    double expected = h(table.conditional(row, j));
    const std::vector<double> first = table.conditional(row, i);
    for (std::size_t v = 0; v < 3; ++v) {
      row[i] = static_cast<token>(v);
      expected -= first[v] * h(table.conditional(row, j));
    }
    row[i] = _;
    CHECK(information(i, j) == doctest::Approx(expected).epsilon(1e-10));
    CHECK(information(i, j) > 0);
  }
}

TEST_CASE("entropy obeys the chain rule") {
  const joint_table table = joint_table::random(4, 3, 6);
  const token _ = table.mask_token();
  std::vector<token> row{_, _, 0, _};
  double expected = 0;
  const std::vector<double> p = table.conditional(row, 0);
  for (std::size_t v = 0; v < 3; ++v) {
    row[0] = static_cast<token>(v);
    expected += p[v] * (table.entropy(row) - std::log(p[v]));
  }
  row[0] = _;
  CHECK(table.entropy(row) == doctest::Approx(expected).epsilon(1e-12));
}

TEST_CASE("an independent table is the product of its marginals") {
  const joint_table table = joint_table::independent({{1, 3}, {0.5, 0.5}, {9, 1}});
  CHECK(table.probability(std::vector<token>{1, 0, 1}) == doctest::Approx(0.75 * 0.5 * 0.1));
  CHECK(table.conditional(std::vector<token>{0, m, m}, 2)[0] == doctest::Approx(0.9));
  CHECK(table.mutual_information(std::vector<token>{m, m, m})(0, 1) == doctest::Approx(0));
}

TEST_CASE("a seed gives the same table, another seed another, and sharpness concentrates it") {
  const auto probabilities = [](std::uint64_t seed, double sharpness) {
    const joint_table t = joint_table::random(3, 3, seed, sharpness);
    return std::vector<double>(t.probabilities().begin(), t.probabilities().end());
  };
  CHECK(probabilities(1, 1) == probabilities(1, 1));
  CHECK(probabilities(1, 1) != probabilities(2, 1));
  const std::vector<token> blank(3, 3);
  CHECK(joint_table::random(3, 3, 1, 0).entropy(blank) == doctest::Approx(3 * std::log(3.0)));
  CHECK(joint_table::random(3, 3, 1, 3).entropy(blank) < joint_table::random(3, 3, 1, 1).entropy(blank));
}

TEST_CASE("what is not a distribution is refused with what was got and expected") {
  CHECK_THROWS_WITH_AS(joint_table(2, 2, {1, 2, 3}), "joint_table: 3 weights, expected 2^2 = 4", invalid_argument);
  CHECK_THROWS_AS(joint_table(1, 2, {1, -1}), invalid_argument);
  CHECK_THROWS_AS(joint_table(1, 2, {1, std::nan("")}), invalid_argument);
  CHECK_THROWS_AS(joint_table(1, 2, {1, infinity}), invalid_argument);
  CHECK_THROWS_AS(joint_table(1, 2, {0, 0}), invalid_argument);
  CHECK_THROWS_AS(joint_table(0, 2, {1}), invalid_argument);
  CHECK_THROWS_AS(joint_table::random(40, 10, 1), invalid_argument);
  CHECK_THROWS_AS(joint_table::independent({}), invalid_argument);
  CHECK_THROWS_AS(joint_table::independent({{1, 1}, {1, 1, 1}}), invalid_argument);
  CHECK_THROWS_AS((void)joint_table(2, 2, {1, 1, 1, 1}).index_of(std::vector<token>{0, m}), invalid_argument);
  CHECK_THROWS_AS((void)joint_table(2, 2, {1, 1, 1, 1}).index_of(std::vector<token>{0}), invalid_argument);
}
