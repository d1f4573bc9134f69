#include "lacuna/problems/latin_square.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

using namespace lacuna;
using problems::conditionals;
using problems::latin_square;

TEST_CASE("there are 1, 2, 12 and 576 Latin squares of order 1 to 4, all valid and different") {
  const std::size_t expected[] = {1, 2, 12, 576};
  for (std::size_t n = 1; n <= 4; ++n) {
    const latin_square squares(n);
    CHECK(squares.size() == expected[n - 1]);
    std::set<std::vector<token>> different;
    for (std::size_t k = 0; k < squares.size(); ++k) {
      CHECK(squares.is_valid(squares.square(k)));
      different.insert({squares.square(k).begin(), squares.square(k).end()});
    }
    CHECK(different.size() == squares.size());
  }
}

TEST_CASE("a repeated symbol, a mask, a foreign token and a wrong size are not valid") {
  const latin_square squares(3);
  CHECK(squares.is_valid(std::vector<token>{0, 1, 2, 1, 2, 0, 2, 0, 1}));
  CHECK_FALSE(squares.is_valid(std::vector<token>{0, 1, 2, 0, 1, 2, 0, 1, 2}));  // columns
  CHECK_FALSE(squares.is_valid(std::vector<token>{0, 0, 0, 1, 1, 1, 2, 2, 2}));  // rows
  CHECK_FALSE(squares.is_valid(std::vector<token>{0, 1, 2, 1, 2, 0, 2, 0, 3}));
  CHECK_FALSE(squares.is_valid(std::vector<token>{0, 1, 2, 1, 2, 0, 2, 0, -1}));
  CHECK_FALSE(squares.is_valid(std::vector<token>{0, 1, 2, 1, 2, 0, 2, 0}));
}

TEST_CASE("known symbols imply others") {
  const latin_square squares(3);
  const token _ = squares.mask_token();
  const tensor<double, 2> p = conditionals(squares, std::vector<token>{0, 1, _, 1, _, _, _, _, _});
  CHECK(p(2, 2) == 1);  // the row lacks a 2
  CHECK(p(4, 2) == 1);  // 0 in the same row would leave no place
  CHECK(p(8, 1) == 1);  // the square is determined
  CHECK(squares.log_probability(std::vector<token>{0, 1, _, 1, _, _, _, _, _}) == doctest::Approx(std::log(1.0 / 12)));
}

TEST_CASE("orders that are not enumerated are refused") {
  CHECK_THROWS_AS(latin_square(0), invalid_argument);
  CHECK_THROWS_WITH_AS(latin_square(5), "latin_square: order 5, expected 1 to 4", invalid_argument);
}
