#include "lacuna/nn/threads.hpp"

#include <atomic>
#include <vector>

#include <doctest/doctest.h>

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
