#include "lacuna/problems/permutation.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

using namespace lacuna;
using problems::conditionals;
using problems::permutation;

TEST_CASE("what is left is equally likely, what is used impossible") {
  const permutation problem(5);
  const tensor<double, 2> p = conditionals(problem, std::vector<token>{3, 5, 0, 5});
  for (const std::size_t i : {1U, 3U}) {
    CHECK(p(i, 0) == 0);
    CHECK(p(i, 1) == doctest::Approx(1.0 / 3));
    CHECK(p(i, 2) == doctest::Approx(1.0 / 3));
    CHECK(p(i, 3) == 0);
    CHECK(p(i, 4) == doctest::Approx(1.0 / 3));
  }
}

TEST_CASE("every order has the same probability, a repeated token none") {
  const permutation problem(4);
  CHECK(problem.log_probability(std::vector<token>{2, 0, 3, 1}) == doctest::Approx(-std::log(24.0)));
  CHECK(problem.log_probability(std::vector<token>{2, 4, 3}) == doctest::Approx(-std::log(12.0)));
  CHECK(problem.log_probability(std::vector<token>{2, 0, 2, 1}) == -std::numeric_limits<double>::infinity());
}

TEST_CASE("no tokens are no problem") { CHECK_THROWS_AS(permutation(0), invalid_argument); }
