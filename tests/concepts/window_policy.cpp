#include "lacuna/concepts/window_policy.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <string>

#include "lacuna/window/constant.hpp"
#include "lacuna/window/cosine.hpp"
#include "lacuna/window/linear.hpp"
#include "lacuna/window/none.hpp"

using namespace lacuna;

namespace {

// ---- Accepted
struct archetype {
  explicit archetype(int) {}
  archetype(const archetype&) = default;
  archetype& operator=(const archetype&) = delete;
  unsigned char operator()(std::size_t, std::size_t) const { return 3; }
};
static_assert(window_policy<archetype>);
static_assert(window_policy<window::none> && window_policy<window::constant> && window_policy<window::linear> &&
              window_policy<window::cosine>);
constexpr auto lambda = [](std::size_t revealed, std::size_t) { return revealed; };
static_assert(window_policy<decltype(lambda)>);

// ---- Rejected
constexpr auto one_number = [](std::size_t revealed) { return revealed; };
static_assert(!window_policy<decltype(one_number)>);
constexpr auto text = [](std::size_t, std::size_t) { return std::string(); };
static_assert(!window_policy<decltype(text)>);
struct changes {
  std::size_t operator()(std::size_t, std::size_t) { return 1; }
};
static_assert(!window_policy<changes>);

}  // namespace

TEST_CASE("a window has at least one position and no more than are left, whatever its policy says") {
  CHECK(window_size(archetype{1}, 2, 10) == 3);
  CHECK(window_size(archetype{1}, 8, 10) == 2);
  CHECK(window_size(lambda, 0, 10) == 1);
  CHECK(window_size([](std::size_t, std::size_t) { return static_cast<std::size_t>(-1); }, 1, 10) == 9);
}
