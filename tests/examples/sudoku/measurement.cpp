#include "../../../examples/sudoku/measurement.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

namespace {

using namespace sudoku;

TEST_CASE("the error of a paired difference is that of the differences, which may be much less than that of either") {
  const std::vector<double> a{10, 20, 30, 40}, b{9, 19, 29, 37};
  const difference d = paired_difference(a, b);
  CHECK(d.mean == doctest::Approx(1.5));
  CHECK(d.error == doctest::Approx(0.5));  // differences 1 1 1 3: variance 1, of the mean 1/4
  CHECK(d.error < standard_error(a) / 10);
  CHECK(d.beyond_noise());
  CHECK(paired_difference(b, a).beyond_noise());
  CHECK_FALSE(paired_difference(std::vector<double>{1, 0, 0}, std::vector<double>{0, 0, 0}).beyond_noise());
  CHECK_FALSE(paired_difference(a, a).beyond_noise());
  CHECK(paired_difference(a, {9, 19}).mean == 1);  // as far as both go
}

TEST_CASE("one puzzle has no standard error, and its difference is not beyond noise") {
  const difference d = paired_difference({1}, {0});
  CHECK(d.mean == 1);
  CHECK(std::isnan(d.error));
  CHECK_FALSE(d.beyond_noise());
}

TEST_CASE("the first of a measurement are its first puzzles, and their share of the time") {
  measurement m{"random", {1, 0, 1, 1}, {1, 2, 3, 4}, {0, 0, 1, 1}, {0, 0, 5, 6}, 8, 4, 2};
  const measurement two = first_of(m, 2);
  CHECK(two.sampler == "random");
  CHECK(two.solved == std::vector<double>{1, 0});
  CHECK(two.passes == std::vector<double>{1, 2});
  CHECK(two.probe_calls.size() == 2);
  CHECK(two.probe_rows.size() == 2);
  CHECK(two.seconds == 4);
  CHECK(two.network_seconds == 2);
  CHECK(two.estimator_seconds == 1);
  CHECK(first_of(m, 9).size() == 4);
}

}  // namespace
