#include "lacuna/concepts/pair_information.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <span>
#include <vector>

#include "lacuna/mi/enumerated.hpp"
#include "tests/support/step_fixture.hpp"

using namespace lacuna;
using lacuna::testing::step_fixture;

namespace {

const step_random rng{1, stream_use::order, 0, 0};

/// Three positions of three, two and two values.
step_fixture three() { return step_fixture::from_rows({{0.5, 0.25, 0.25}, {0.5, 0.5, 0.0}, {0.9, 0.1, 0.0}}); }

/// Answers every probe with the same row.
void answer(pair_information<mi::enumerated>& pairs, const probe_list& probes, const std::vector<double>& row) {
  std::vector<double> log_p;
  for (const double p : row) log_p.push_back(std::log(p));
  for (std::size_t r = 0; r < probes.size(); ++r)
    for (std::size_t t = 0; t < probes.wanted(r).size(); ++t) pairs.learn({}, r, t, log_p);
}

}  // namespace

TEST_CASE("what is not known lies between 0 and the smaller entropy; a direction known narrows it by half") {
  step_fixture f = three();
  const step_view view = f.view();
  pair_information<mi::enumerated> pairs;
  pairs.begin(view, std::vector<std::size_t>{2, 0, 1});  // candidates in an order of one's own
  REQUIRE(pairs.size() == 3);
  CHECK(pairs.entropy(0) == view.entropy(2));
  CHECK(pairs.cap(0, 1) == view.entropy(2));
  CHECK(pairs.least(1, 2) == 0);
  CHECK(pairs.most(1, 2) == view.entropy(1));
  CHECK(!pairs.known(1, 2));

  pairs.want(2, 1);  // by probing position 1
  pairs.want(2, 1);
  probe_list probes;
  pairs.ask({}, view, probes, rng);
  REQUIRE(probes.size() == 2);
  CHECK(probes.filled(0)[0] == filled_gap{1, 0});
  CHECK(probes.filled(1)[0] == filled_gap{1, 1});
  CHECK(probes.wanted(0).size() == 1);
  CHECK(probes.wanted(0)[0] == 0);
  answer(pairs, probes, {0.5, 0.5, 0.0});
  probes.clear();
  pairs.ask({}, view, probes, rng);
  CHECK(probes.empty());
  CHECK(pairs.known(2, 1));
  CHECK(!pairs.known(1, 2));
  const double raw = view.entropy(0) - std::log(2);
  CHECK(pairs.raw(2, 1) == doctest::Approx(raw).epsilon(1e-12));
  CHECK(pairs.least(1, 2) == doctest::Approx(raw / 2).epsilon(1e-12));
  CHECK(pairs.most(1, 2) == doctest::Approx((raw + std::log(2)) / 2).epsilon(1e-12));
  CHECK(pairs.least(1, 2) == pairs.least(2, 1));
}

TEST_CASE("wanted positions are probed together, the rows wanted ascending by position") {
  step_fixture f = three();
  const step_view view = f.view();
  pair_information<mi::enumerated> pairs;
  pairs.begin(view, std::vector<std::size_t>{2, 0, 1});
  for (std::size_t a = 0; a < 3; ++a)
    for (std::size_t b = 0; b < 3; ++b)
      if (a != b) pairs.want(a, b);
  CHECK(pairs.unasked() == 3);
  probe_list probes;
  pairs.ask({}, view, probes, rng);
  CHECK(pairs.unasked() == 0);
  REQUIRE(probes.size() == 2 + 3 + 2);
  for (std::size_t r = 0; r < probes.size(); ++r) {
    REQUIRE(probes.wanted(r).size() == 2);
    CHECK(probes.wanted(r)[0] < probes.wanted(r)[1]);
  }
}

TEST_CASE("a round with little room cuts a position in two, and nothing is lost") {
  step_fixture f = three();
  const step_view view = f.view();
  const auto gather = [&](std::size_t room) {
    pair_information<mi::enumerated> pairs;
    pairs.begin(view, std::vector<std::size_t>{0, 1, 2});
    for (std::size_t a = 0; a < 3; ++a)
      for (std::size_t b = 0; b < 3; ++b)
        if (a != b) pairs.want(a, b);
    std::size_t rows = 0;
    probe_list probes;
    for (;;) {
      probes.clear(room);
      pairs.ask({}, view, probes, rng);
      if (probes.empty()) break;
      CHECK(probes.size() <= room);
      rows += probes.size();
      answer(pairs, probes, {0.7, 0.2, 0.1});
    }
    CHECK(rows == 7);
    std::vector<double> all;
    for (std::size_t a = 0; a < 3; ++a)
      for (std::size_t b = 0; b < 3; ++b)
        if (a != b) {
          CHECK(pairs.known(a, b));
          all.push_back(pairs.raw(a, b));
        }
    return all;
  };
  const auto at_once = gather(100);
  for (std::size_t room = 1; room < 8; ++room) CHECK(gather(room) == at_once);
}

TEST_CASE("a row without mass is an error that names the pair") {
  step_fixture f = three();
  const step_view view = f.view();
  pair_information<mi::enumerated> pairs;
  pairs.begin(view, std::vector<std::size_t>{0, 1, 2});
  pairs.want(0, 2);
  probe_list probes;
  pairs.ask({}, view, probes, rng);
  for (std::size_t r = 0; r < probes.size(); ++r) pairs.learn({}, r, 0, {});
  probes.clear();
  CHECK_THROWS_WITH_AS(pairs.ask({}, view, probes, rng),
                       "mi: the estimate for positions 0 and 2 is nan, expected a finite number of nats", estimator_error);
}

TEST_CASE("beginning anew forgets") {
  step_fixture f = three();
  const step_view view = f.view();
  pair_information<mi::enumerated> pairs;
  pairs.begin(view, std::vector<std::size_t>{0, 1, 2});
  pairs.want(0, 1);
  probe_list probes;
  pairs.ask({}, view, probes, rng);
  pairs.begin(view, std::vector<std::size_t>{1, 2});
  probes.clear();
  pairs.ask({}, view, probes, rng);
  CHECK(probes.empty());
  CHECK(!pairs.known(0, 1));
}
