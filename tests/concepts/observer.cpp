#include "lacuna/concepts/observer.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <vector>

using namespace lacuna;

namespace {

/// The least an observer may be.
struct archetype {
  archetype() = default;
  archetype(const archetype&) = delete;
  archetype& operator=(const archetype&) = delete;
  void operator()(const step_event&) { ++steps; }
  std::size_t steps = 0;
};

// ---- Accepted
static_assert(observer<archetype> && !starts_watcher<archetype>);
static_assert(observer<archetype&>);
static_assert(observer<decltype([](const step_event&) {})>);
static_assert(observer<decltype([](const step_event&) { return verdict::stop; })>);
static_assert(observer<decltype([](step_event) {})>, "an event is cheap to copy");
static_assert(observer<decltype([](const auto&) {})>);
static_assert(
    observer<decltype([n = 0U](const step_event& e) mutable { return ++n == e.step ? verdict::stop : verdict::go_on; })>,
    "observers may change");
static_assert(observer<void (*)(const step_event&)>);
struct watches_starts : archetype {
  void start(std::size_t row, const canvas& c) { started.push_back(row * 100 + c.size()); }
  std::vector<std::size_t> started;
};
static_assert(observer<watches_starts> && starts_watcher<watches_starts>);

// ---- Rejected
static_assert(!observer<decltype([](const step_event&) { return true; })>, "true is neither go_on nor stop");
static_assert(!observer<decltype([](const step_event&) { return 0; })>);
static_assert(!observer<decltype([](step_event&) {})>, "an observer changes nothing");
static_assert(!observer<decltype([] {})>);
static_assert(!observer<const archetype>, "its call changes it");
static_assert(!observer<int>);

}  // namespace

TEST_CASE("all observers are told, in order, and one that says stop wins") {
  std::vector<int> told;
  const auto first = [&](const step_event&) { told.push_back(1); };
  const auto stops = [&](const step_event&) {
    told.push_back(2);
    return verdict::stop;
  };
  const auto goes_on = [&](const step_event&) {
    told.push_back(3);
    return verdict::go_on;
  };
  archetype counts;
  CHECK(notify(step_event{}, first, stops, goes_on, counts) == verdict::stop);
  CHECK(told == std::vector<int>{1, 2, 3});
  CHECK(counts.steps == 1);
  CHECK(notify(step_event{}, first, goes_on) == verdict::go_on);
  CHECK(notify(step_event{}) == verdict::go_on);
}

TEST_CASE("those that want to know are told where a row begins") {
  watches_starts watcher;
  archetype other;
  notify_start(3, canvas::blank(7), other, watcher);
  CHECK(watcher.started == std::vector<std::size_t>{307});
}
