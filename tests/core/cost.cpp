#include "lacuna/core/cost.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace lacuna;

TEST_CASE("calls and rows are counted by purpose and add up") {
  nfe a;
  CHECK(a.calls() == 0);
  CHECK(a.rows() == 0);
  a.of(purpose::decode) = {3, 30};
  a.of(purpose::probe) = {1, 200};
  a.of(purpose::draft) = {2, 2};
  a.of(purpose::verify) = {4, 5};
  CHECK(a.calls() == 10);
  CHECK(a.rows() == 237);
  const nfe& seen = a;
  CHECK(seen.of(purpose::probe) == nfe::count{1, 200});

  nfe b;
  b.of(purpose::probe) = {1, 1};
  b += a;
  CHECK(b.of(purpose::decode) == nfe::count{3, 30});
  CHECK(b.of(purpose::probe) == nfe::count{2, 201});
  CHECK(b != a);
  b = a;
  CHECK(b == a);
}

TEST_CASE("every purpose has its own name") {
  std::vector<std::string> names;
  for (const purpose p : all_purposes) names.emplace_back(to_string(p));
  CHECK(names == std::vector<std::string>{"decode", "probe", "draft", "verify"});
  static_assert(to_string(purpose::probe) == "probe");
}
