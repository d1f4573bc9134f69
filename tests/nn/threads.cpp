#include "lacuna/nn/threads.hpp"

#include <doctest/doctest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <vector>

#include "lacuna/core/errors.hpp"

namespace {

using namespace lacuna;

}  // namespace

TEST_CASE("a team calls its function once for each thread, again and again") {
  for (const std::size_t size : {1U, 2U, 4U}) {
    nn::thread_team team{size};
    CHECK(team.size() == size);
    std::vector<int> calls(size);
    for (int round = 0; round < 200; ++round) team.run([&](std::size_t i) { ++calls[i]; });
    for (const int n : calls) CHECK(n == 200);
  }
}

TEST_CASE("nobody passes a meeting before all have come") {
  nn::thread_team team{3};
  std::atomic<int> arrived{0};
  std::atomic<int> early{0};
  team.run([&](std::size_t) {
    for (int round = 1; round <= 100; ++round) {
      arrived.fetch_add(1);
      team.meet();
      if (arrived.load() < 3 * round) early.fetch_add(1);
      team.meet();
    }
  });
  CHECK(early.load() == 0);
  CHECK(arrived.load() == 300);
}

TEST_CASE("a team that never ran ends, and so does one that waits") {
  { nn::thread_team idle{3}; }
  nn::thread_team team{2};
  team.run([](std::size_t) {});
  std::this_thread::sleep_for(std::chrono::milliseconds{5});  // long enough for the other thread to fall asleep
  int calls = 0;
  team.run([&](std::size_t i) {
    if (i == 0) ++calls;
  });
  CHECK(calls == 1);
}

TEST_CASE("threads that the system refuses are an error, and those that were started end") {
  ::rlimit before{};
  REQUIRE(::getrlimit(RLIMIT_AS, &before) == 0);
  std::size_t pages = 0;
  std::ifstream{"/proc/self/statm"} >> pages;
  if (pages > std::size_t{1} << 30U) return;  // a sanitizer's own memory, which nothing may be taken from
  ::rlimit little = before;
  little.rlim_cur = static_cast<::rlim_t>(pages) * static_cast<::rlim_t>(::sysconf(_SC_PAGESIZE)) + (::rlim_t{256} << 20U);
  REQUIRE(::setrlimit(RLIMIT_AS, &little) == 0);  // room for the stacks of some 30 threads
  CHECK_THROWS_WITH_AS(nn::thread_team{1000}, doctest::Contains(" of 1000 could be started: "), error);
  REQUIRE(::setrlimit(RLIMIT_AS, &before) == 0);
  nn::thread_team team{3};
  std::atomic<int> calls{0};
  team.run([&](std::size_t) { ++calls; });
  CHECK(calls == 3);
}
