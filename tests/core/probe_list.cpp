#include "lacuna/core/probe_list.hpp"

#include <doctest/doctest.h>

#include <vector>

using lacuna::filled_gap;
using lacuna::probe_list;

TEST_CASE("a probe has the gaps it fills and the positions it wants") {
  probe_list p;
  CHECK(p.empty());
  CHECK(p.room() == probe_list::usual_most);
  p.add();
  p.put(3, 7);
  p.put(1, 2);
  p.want(0);
  p.want(5);
  p.add();
  p.want(2);
  REQUIRE(p.size() == 2);
  CHECK(std::vector<filled_gap>(p.filled(0).begin(), p.filled(0).end()) == std::vector<filled_gap>{{3, 7}, {1, 2}});
  CHECK(std::vector<std::size_t>(p.wanted(0).begin(), p.wanted(0).end()) == std::vector<std::size_t>{0, 5});
  CHECK(p.filled(1).empty());
  CHECK(p.wanted(1).size() == 1);
}

TEST_CASE("a round has room for so many probes") {
  probe_list p;
  p.clear(2);
  p.add();
  CHECK(p.room() == 1);
  p.add();
  CHECK(p.room() == 0);
  p.clear(3);
  CHECK(p.empty());
  CHECK(p.room() == 3);
}
