#include "lacuna/mi/roc_area.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "lacuna/core/random.hpp"

namespace {

using lacuna::mi::roc_area;
using members = std::vector<std::uint8_t>;

/// All pairs of a member and a non-member.
double by_pairs(const std::vector<double>& scores, const members& member) {
  double above = 0;
  double pairs = 0;
  for (std::size_t a = 0; a < scores.size(); ++a)
    for (std::size_t b = 0; b < scores.size(); ++b)
      if (member[a] != 0 && member[b] == 0) {
        above += scores[a] > scores[b] ? 1 : scores[a] == scores[b] ? 0.5 : 0;
        ++pairs;
      }
  return above / pairs;
}

}  // namespace

TEST_CASE("1 where every member is above every other, 0 where below, one half where nothing tells them apart") {
  CHECK(roc_area(std::vector{3.0, 1.0, 2.0}, members{1, 0, 0}) == 1);
  CHECK(roc_area(std::vector{0.0, 1.0, 2.0}, members{1, 0, 0}) == 0);
  CHECK(roc_area(std::vector{1.0, 1.0, 1.0}, members{1, 0, 0}) == 0.5);
  CHECK(roc_area(std::vector{1.0, 1.0, 0.0}, members{1, 0, 0}) == 0.75);
}

TEST_CASE("the area is the share of pairs in the right order, ties counted half") {
  lacuna::random_stream random{5, lacuna::stream_use::other, 0, 0};
  for (const std::size_t distinct : {2U, 5U, 30U, 100000U}) {  // many ties to none
    std::vector<double> scores;
    members member;
    for (std::size_t k = 0; k < 120; ++k) {
      member.push_back(random.bernoulli(0.3) ? 1 : 0);
      scores.push_back(static_cast<double>(random.below(distinct)) +
                       (member.back() != 0 ? 0.4 * static_cast<double>(distinct) : 0));
    }
    CHECK(roc_area(scores, member) == doctest::Approx(by_pairs(scores, member)).epsilon(1e-12));
    CHECK(roc_area(scores, member) > 0.6);
    for (double& s : scores) s = -s;
    CHECK(roc_area(scores, member) == doctest::Approx(by_pairs(scores, member)).epsilon(1e-12));
  }
}

TEST_CASE("a class without a member, numbers of different length and NaN are refused") {
  const auto refuse = [](const std::vector<double>& scores, const members& member, const char* message) {
    CHECK_THROWS_WITH_AS(roc_area(scores, member), message, lacuna::invalid_argument);
  };
  refuse({1, 2}, {1, 1}, "mi::roc_area: 2 members among 2 scores, expected both classes");
  refuse({1, 2, 3}, {0, 0, 0}, "mi::roc_area: 0 members among 3 scores, expected both classes");
  refuse({}, {}, "mi::roc_area: 0 members among 0 scores, expected both classes");
  refuse({1, 2}, {1}, "mi::roc_area: 2 scores and 1 members, expected as many");
  refuse({1, std::nan("")}, {1, 0}, "average_ranks: number 1 is nan, expected a number");
}
