#include "lacuna/testing/law_report.hpp"

#include <doctest/doctest.h>

#include <sstream>
#include <string>
#include <vector>

using namespace lacuna;
using namespace lacuna::testing;

TEST_CASE("a report holds when no law is broken, whether or not all were checked") {
  law_report report{{{"first", outcome::holds, ""}, {"second", outcome::not_checked, "does not apply"}}};
  CHECK(report.holds());
  CHECK(report.broken().empty());
  report.laws.push_back({"third", outcome::broken, "got 1, expected 2"});
  CHECK_FALSE(report.holds());
  CHECK(report.broken() == std::vector<std::string>{"third"});
  CHECK(report["third"].message == "got 1, expected 2");
  CHECK_THROWS_WITH_AS((void)report["fourth"], "law_report: no law named 'fourth'", invalid_argument);
  std::ostringstream out;
  out << report;
  CHECK(out.str() == "holds        first\nnot checked  second: does not apply\nBROKEN       third: got 1, expected 2\n");
}
