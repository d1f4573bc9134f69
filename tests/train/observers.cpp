#include "lacuna/train/observers.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <sstream>
#include <string>
#include <vector>

#include "toy_softmax.hpp"

namespace train = lacuna::train;

namespace {

train::step_report report_at(std::size_t step, double elapsed) {
  train::step_report r;
  r.step = step;
  r.elapsed = elapsed;
  r.mean_loss = 0.51234;
  r.rate = 0.003;
  r.gradient_norm = 0.25;
  r.rows_per_second = 320.4;
  r.seconds_left = 3723;
  return r;
}

struct wants_nothing {
  void operator()() {}
};
struct answers_text {
  const char* operator()(const train::step_report&, const train::training_state&) { return ""; }
};

const train::training_state no_state;

}  // namespace

static_assert(train::training_observer<train::unobserved>);
static_assert(train::training_observer<train::progress_line>);
static_assert(!train::training_observer<wants_nothing>);
static_assert(!train::training_observer<answers_text>);
static_assert(train::batch_source<lacuna_test::counting_rows>);
static_assert(!train::batch_source<wants_nothing>);

TEST_CASE("a report is one line with step, loss, speed, rate, norm and time left") {
  CHECK(train::report_text(report_at(1200, 65)) ==
        "step     1200  loss   0.5123      320 rows/s  rate 3.00e-03  norm     0.25  1:05 gone, 1:02:03 left");
  CHECK(train::clock_text(0) == "0:00");
  CHECK(train::clock_text(59.6) == "1:00");
  CHECK(train::clock_text(-3) == "0:00");
}

TEST_CASE("a progress line is printed first, every so many seconds, and last") {
  std::ostringstream out;
  train::progress_line line{out, 10};
  for (int i = 1; i <= 25; ++i) {
    auto r = report_at(static_cast<std::size_t>(i), i);
    r.progress = i / 25.0;
    line(r, no_state);
  }
  std::vector<std::string> steps;
  std::istringstream in{out.str()};
  for (std::string text; std::getline(in, text);) steps.push_back(text.substr(0, 13));
  CHECK(steps == std::vector<std::string>{"step        1", "step       11", "step       21", "step       25"});
}

TEST_CASE("every so many steps or seconds the callback is called, and may stop the run") {
  std::vector<std::size_t> by_steps, by_seconds;
  auto steps = train::every_steps(3, [&](const train::step_report& r, const auto&) {
    by_steps.push_back(r.step);
    return r.step < 6;
  });
  auto seconds = train::every_seconds(2.5, [&](const train::step_report& r, const auto&) { by_seconds.push_back(r.step); });
  for (std::size_t i = 1; i <= 8; ++i) {
    const auto r = report_at(i, static_cast<double>(i));
    CHECK(steps(r, no_state) == (i != 6));
    CHECK(seconds(r, no_state));
  }
  CHECK(by_steps == std::vector<std::size_t>{3, 6});
  CHECK(by_seconds == std::vector<std::size_t>{4, 7});
}

TEST_CASE("all observers are told in order, even after one has asked to stop") {
  std::string order;
  auto all = train::observe_all([&](const auto&, const auto&) { order += 'a'; },
                                [&](const auto&, const auto&) {
                                  order += 'b';
                                  return false;
                                },
                                [&](const auto&, const auto&) {
                                  order += 'c';
                                  return true;
                                });
  CHECK_FALSE(all(report_at(1, 1), no_state));
  CHECK(order == "abc");
  auto agreed = train::observe_all([](const auto&, const auto&) {}, [](const auto&, const auto&) { return true; });
  CHECK(agreed(report_at(1, 1), no_state));
}

TEST_CASE("averaged weights are in place for a scope and then the own ones again") {
  lacuna_test::toy_softmax model{4};
  const std::vector<float> own(model.parameters().values().begin(), model.parameters().values().end());
  const train::moving_average_state average{std::vector<float>(own.size(), 0.5F), 1};
  {
    const train::averaged_weights scope{model.parameters(), average};
    CHECK(model.parameters().values()[7] == 0.5F);
  }
  CHECK(std::vector<float>(model.parameters().values().begin(), model.parameters().values().end()) == own);
}
