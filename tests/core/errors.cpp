#include "lacuna/core/errors.hpp"

#include <doctest/doctest.h>

#include <stdexcept>
#include <string>
#include <type_traits>

using namespace lacuna;

namespace {
template <class E>
constexpr bool is_ours = std::is_base_of_v<error, E>&& std::is_base_of_v<std::runtime_error, E>;
static_assert(is_ours<invalid_argument> && is_ours<model_error> && is_ours<file_error>);
static_assert(!std::is_convertible_v<std::string, error>, "a string does not become an error by accident");
}  // namespace

TEST_CASE("whoever catches the base catches all, with the message") {
  const auto caught = [](auto thrown) {
    try {
      throw thrown;
    } catch (const error& e) {
      return std::string(e.what());
    }
  };
  CHECK(caught(invalid_argument("k = 0, expected at least 1")) == "k = 0, expected at least 1");
  CHECK(caught(model_error("a")) == "a");
  CHECK(caught(file_error("b")) == "b");
}
