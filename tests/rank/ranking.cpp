#include "lacuna/rank/ranking.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "lacuna/rank/confidence.hpp"
#include "tests/support/step_fixture.hpp"

namespace {

using lacuna::testing::step_fixture;
using indices = std::vector<std::size_t>;

const lacuna::step_random rng{1, lacuna::stream_use::order, 0, 0};

template <class Span>
indices listed(const Span& s) {
  return {s.begin(), s.end()};
}

TEST_CASE("a ranking lists candidates by descending score, ties by ascending index") {
  step_fixture f(6);
  f.confidence = {0.2, 0.9, 0.5, 0.9, 0.1, 0.5};
  lacuna::rank::ranking ranking;
  const auto view = f.view();
  CHECK(listed(ranking.all(lacuna::rank::confidence{}, view, rng)) == indices{1, 3, 2, 5, 0, 4});
  CHECK(listed(ranking.best(3, lacuna::rank::confidence{}, view, rng)) == indices{1, 3, 2});
  CHECK(listed(ranking.best(1, lacuna::rank::confidence{}, view, rng)) == indices{1});
  CHECK(listed(ranking.best(99, lacuna::rank::confidence{}, view, rng)).size() == 6);
  CHECK(ranking.best(0, lacuna::rank::confidence{}, view, rng).empty());
}

TEST_CASE("equal scores leave the order of positions") {
  step_fixture f(5);
  f.confidence.assign(5, 0.25);
  lacuna::rank::ranking ranking;
  CHECK(listed(ranking.all(lacuna::rank::confidence{}, f.view(), rng)) == indices{0, 1, 2, 3, 4});
  CHECK(listed(ranking.best(2, lacuna::rank::confidence{}, f.view(), rng)) == indices{0, 1});
}

TEST_CASE("a lambda is a rank, and NaN is the worst score") {
  step_fixture f(4);
  lacuna::rank::ranking ranking;
  const auto by = [](const lacuna::step_view&, std::size_t k) { return k == 1 ? std::nan("") : -static_cast<double>(k); };
  static_assert(lacuna::rank_policy<decltype(by)>);
  CHECK(listed(ranking.all(by, f.view(), rng)) == indices{0, 2, 3, 1});
}

TEST_CASE("a ranking follows the number of candidates down and up again") {
  step_fixture f(6);
  f.confidence = {0.2, 0.9, 0.5, 0.9, 0.1, 0.5};
  lacuna::rank::ranking ranking;
  CHECK(listed(ranking.all(lacuna::rank::confidence{}, f.view({4, 5}), rng)) == indices{1, 0});
  CHECK(listed(ranking.all(lacuna::rank::confidence{}, f.view(), rng)) == indices{1, 3, 2, 5, 0, 4});
}

}  // namespace
