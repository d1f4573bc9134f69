// A sampler is a value that does not change: threads share one.
#include <doctest/doctest.h>

#include <thread>
#include <vector>

#include "lacuna/sample/compose.hpp"
#include "lacuna/sample/decode.hpp"
#include "tests/sample/models.hpp"
#include "tests/sample/policies.hpp"
#include "tests/sample/results.hpp"

using namespace lacuna;
using namespace lacuna::tests;

TEST_CASE("one const sampler used by two threads at once gives each what it gives alone") {
  const auto sampler = compose(timed{9, 2}, draw::categorical{}, doubtful{0.2});
  const std::vector<canvas> rows(6, canvas::blank(20));
  const auto decoded = [&](std::uint64_t seed) {
    selective model;
    return decode(model, std::span{rows}, sampler, {.seed = seed}).rows;
  };
  std::vector<decode_result> a;
  std::vector<decode_result> b;
  std::thread first([&] { a = decoded(1); });
  std::thread second([&] { b = decoded(2); });
  first.join();
  second.join();
  CHECK(same(a, decoded(1)));
  CHECK(same(b, decoded(2)));
  CHECK_FALSE(same(a, b));
}
