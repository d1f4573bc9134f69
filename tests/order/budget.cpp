#include "lacuna/order/budget.hpp"

#include <doctest/doctest.h>

namespace budget = lacuna::order::budget;

static_assert(budget::is_budget<budget::running> && budget::is_budget<budget::threshold>);
static_assert(budget::is_budget<budget::running_entropy>);
struct without_after {};
static_assert(!budget::is_budget<without_after>);

TEST_CASE("a running budget pays the cost, one of entropy the entropy, a threshold nothing") {
  CHECK(budget::running{}.after(1.0, 0.75, 0.25) == 0.25);
  CHECK(budget::running_entropy{}.after(1.0, 0.75, 0.25) == 0.75);
  CHECK(budget::threshold{}.after(1.0, 0.75, 0.25) == 1.0);
}
