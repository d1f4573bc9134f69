#include "lacuna/core/statistics.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cstddef>

using namespace lacuna;

namespace {

struct asks {
  static constexpr statistics needs = statistics::entropy | statistics::hidden;
};
struct asks_nothing {
  static constexpr statistics needs = statistics::none;
};
struct says_nothing {};
constexpr auto scalars = statistics::confidence | statistics::margin | statistics::entropy;

static_assert(needs_of<asks> == (statistics::entropy | statistics::hidden));
static_assert(needs_of<asks_nothing> == statistics::none);
static_assert(needs_of<says_nothing> == scalars, "a lambda gets the three scalars");
static_assert(needs_of<decltype([] {})> == scalars);

}  // namespace

TEST_CASE("every statistic is a set of its own, and sets are joined with |") {
  constexpr std::array all{statistics::confidence, statistics::margin, statistics::entropy,
                           statistics::rows,       statistics::hidden, statistics::committed};
  for (std::size_t i = 0; i < all.size(); ++i)
    for (std::size_t j = 0; j < all.size(); ++j) {
      CHECK(contains(all[i], all[j]) == (i == j));
      CHECK(contains(all[i] | all[j], all[i]));
      CHECK((all[i] | all[j]) == (all[j] | all[i]));
    }
  for (const statistics s : all) {
    CHECK_FALSE(contains(statistics::none, s));
    CHECK((s | statistics::none) == s);
    CHECK((s | s) == s);
  }
}
