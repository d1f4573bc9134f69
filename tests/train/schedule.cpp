#include "lacuna/train/schedule.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>

namespace train = lacuna::train;

namespace {
struct nothing {};
struct wants_text {
  double operator()(const char*) const { return 0; }
};
}  // namespace

static_assert(train::learning_rate_schedule<train::warmup_cosine>);
static_assert(train::learning_rate_schedule<train::warmup_constant>);
static_assert(train::learning_rate_schedule<decltype([](std::size_t, double) { return 1e-3F; })>);
static_assert(!train::learning_rate_schedule<nothing>);
static_assert(!train::learning_rate_schedule<wants_text>);

TEST_CASE("the cosine goes from the peak over the middle to the floor") {
  const train::warmup_cosine schedule{2.0, 0.1, 0};
  CHECK(schedule(0, 0.0) == doctest::Approx(2.0));
  CHECK(schedule(5, 0.5) == doctest::Approx(2.0 * 0.55));
  CHECK(schedule(5, 1.0 / 3) == doctest::Approx(2.0 * (0.1 + 0.9 * 0.75)));
  CHECK(schedule(9, 1.0) == doctest::Approx(0.2));
  CHECK(schedule(9, 7.0) == doctest::Approx(0.2));  // a run that goes over stays at the floor
  for (int i = 1; i <= 100; ++i) CHECK(schedule(1, i / 100.0) < schedule(1, (i - 1) / 100.0));
}

TEST_CASE("a plateau keeps the peak for its share of the run, and the cosine takes the rest") {
  const train::warmup_cosine schedule{2.0, 0.1, 0, 0.6};
  CHECK(schedule(1, 0.3) == doctest::Approx(2.0));
  CHECK(schedule(1, 0.6) == doctest::Approx(2.0));
  CHECK(schedule(1, 0.8) == doctest::Approx(2.0 * 0.55));
  CHECK(schedule(1, 1.0) == doctest::Approx(0.2));
}

TEST_CASE("a plateau over the whole run never decays") {
  const train::warmup_cosine s{2e-3, 0.03, 0, 1.0};
  for (const double progress : {0.0, 0.5, 1.0}) CHECK(s(0, progress) == doctest::Approx(2e-3));
}

TEST_CASE("warm-up is linear, never zero, and over after its steps") {
  const train::warmup_cosine schedule{1.0, 1.0, 4};  // floor 1: no decay
  CHECK(schedule(0, 0) == doctest::Approx(0.25));
  CHECK(schedule(1, 0) == doctest::Approx(0.5));
  CHECK(schedule(3, 0) == doctest::Approx(1.0));
  CHECK(schedule(1000, 0) == doctest::Approx(1.0));
  const train::warmup_constant constant{3.0, 2};
  CHECK(constant(0, 0.9) == doctest::Approx(1.5));
  CHECK(constant(50, 0.9) == doctest::Approx(3.0));
}
