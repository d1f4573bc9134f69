#include "lacuna/core/selection.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <vector>

using namespace lacuna;

namespace {
std::vector<std::size_t> chosen(const selection& s) { return {s.chosen().begin(), s.chosen().end()}; }
}  // namespace

TEST_CASE("a selection keeps the order of choice and takes each candidate once") {
  selection s;
  s.reset(5);
  CHECK(s.empty());
  for (const std::size_t k : {3U, 0U, 3U, 4U, 0U}) s.add(k);
  CHECK(chosen(s) == std::vector<std::size_t>{3, 0, 4});
  CHECK(s.size() == 3);
  CHECK_FALSE(s.empty());
  CHECK(s.contains(4));
  CHECK_FALSE(s.contains(1));
}

TEST_CASE("a reset forgets the choice, also for another number of candidates") {
  selection s;
  s.reset(3);
  s.add(2);
  s.reset(6);
  CHECK(s.empty());
  CHECK_FALSE(s.contains(2));
  s.add(5);
  s.reset(1);
  CHECK(s.empty());
  s.add(0);
  CHECK(chosen(s) == std::vector<std::size_t>{0});
}

TEST_CASE("nothing is allocated for at most as many candidates as before") {
  selection s;
  s.reset(100);
  s.add(1);
  const std::size_t* memory = s.chosen().data();
  for (std::size_t n = 100; n > 0; n -= 20) {
    s.reset(n);
    for (std::size_t k = 0; k < n; ++k) s.add(k);
    CHECK(s.chosen().data() == memory);
  }
}

TEST_CASE("a candidate that does not exist is refused, in release builds too") {
  lacuna::selection s;
  s.reset(3);
  CHECK_THROWS_WITH_AS(s.add(7), "selection: candidate 7 was added, expected an index below 3 (of a candidate, not a position)",
                       lacuna::error);
  CHECK(s.empty());
}
