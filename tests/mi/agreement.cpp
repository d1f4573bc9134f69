#include "lacuna/mi/agreement.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

using namespace lacuna::mi;
using numbers = std::vector<double>;

TEST_CASE("R² is the share of the variance that is explained: 1 of the truth, 0 of its mean, less of what is worse") {
  const numbers truth{1, 2, 3, 6};
  CHECK(r_squared(truth, truth) == 1);
  CHECK(r_squared(numbers(4, 3.0), truth) == 0);
  CHECK(r_squared(numbers{1, 2, 3, 2}, truth) == doctest::Approx(1 - 16.0 / 14));
  CHECK(r_squared(numbers{2, 2, 3, 6}, truth) == doctest::Approx(1 - 1.0 / 14));
  CHECK(r_squared(numbers{2, 4, 6, 12}, truth) < 0);  // the right order does not help
}

TEST_CASE("the mean absolute error is in the unit of the numbers") {
  CHECK(mean_absolute_error(numbers{1, 2, 3}, numbers{1, 2, 3}) == 0);
  CHECK(mean_absolute_error(numbers{2, 0, 3}, numbers{1, 2, 3}) == 1);
}

TEST_CASE("the rank correlation sees the order alone") {
  CHECK(rank_correlation(numbers{1, 10, 100}, numbers{-1, 0, 0.5}) == doctest::Approx(1));
  CHECK(rank_correlation(numbers{3, 2, 1}, numbers{1, 2, 9}) == doctest::Approx(-1));
  // without ties it is 1 - 6 Σ d² / (n (n² - 1)): ranks 1 2 3 4 5 and 2 1 4 3 5
  CHECK(rank_correlation(numbers{1, 2, 3, 4, 5}, numbers{20, 10, 40, 30, 50}) == doctest::Approx(1 - 6.0 * 4 / 120));
  // with ties the correlation of the ranks 1.5 1.5 3 4 and 1 2 3.5 3.5: Σ ab = 4, Σ aa = Σ bb = 4.5
  CHECK(rank_correlation(numbers{0, 0, 1, 2}, numbers{5, 6, 7, 7}) == doctest::Approx(4 / 4.5));
}

TEST_CASE("where there is nothing to explain R² and the rank correlation are not numbers") {
  const agreement same = agreement_of(numbers{1, 2}, numbers{3, 3});
  CHECK(same.count == 2);
  CHECK(std::isnan(same.r_squared));
  CHECK(std::isnan(same.rank_correlation));
  CHECK(same.mean_absolute_error == 1.5);
  const agreement one = agreement_of(numbers{1}, numbers{3});
  CHECK(std::isnan(one.r_squared));
  CHECK(one.mean_absolute_error == 2);
  CHECK(std::isnan(agreement_of(numbers{}, numbers{}).mean_absolute_error));
  CHECK(std::isnan(r_squared(numbers{0.1, 0.2, 0.3}, numbers{0.1, 0.1, 0.1})));  // whose mean, rounded, is not 0.1
  CHECK(std::isnan(rank_correlation(numbers{1, 1}, numbers{1, 2})));             // a constant estimate
  CHECK(r_squared(numbers{1, 1}, numbers{1, 2}) == -1);
}

TEST_CASE("all of them at once are each of them") {
  const numbers truth{0.5, 0.25, 0, 1};
  const numbers estimates{0.25, 0.25, 0.5, 1.5};
  const agreement a = agreement_of(estimates, truth);
  CHECK(a.count == 4);
  CHECK(a.r_squared == r_squared(estimates, truth));
  CHECK(a.mean_absolute_error == mean_absolute_error(estimates, truth));
  CHECK(a.rank_correlation == rank_correlation(estimates, truth));
}

TEST_CASE("numbers of different length and NaN are refused") {
  CHECK_THROWS_WITH_AS(agreement_of(numbers{1, 2}, numbers{1}), "mi::agreement: 2 estimates of 1 numbers, expected as many",
                       lacuna::invalid_argument);
  for (const auto of : {r_squared, mean_absolute_error, rank_correlation}) {
    CHECK_THROWS_AS(of(numbers{1, 2}, numbers{1}), lacuna::invalid_argument);
    CHECK_THROWS_WITH_AS(of(numbers{1, std::nan("")}, numbers{1, 2}), "mi::agreement: number 1 is nan, expected a number",
                         lacuna::invalid_argument);
    CHECK_THROWS_AS(of(numbers{1, 2}, numbers{std::nan(""), 2}), lacuna::invalid_argument);
  }
}
