#include "lacuna/concepts/validate.hpp"

#include <doctest/doctest.h>

#include "lacuna/core/errors.hpp"

using namespace lacuna;

namespace {

struct checked {
  int k = 1;
  void validate() const {
    if (k < 1) throw invalid_argument("k = 0, expected at least 1");
  }
};
struct around {
  checked inner;
  void validate() const { lacuna::validate(inner); }
};
struct not_constant {
  void validate() { throw invalid_argument("never asked"); }
};
static_assert(has_validate<checked> && has_validate<around>);
static_assert(!has_validate<not_constant> && !has_validate<int>);

}  // namespace

TEST_CASE("a policy with something to check is asked, others are not") {
  CHECK_NOTHROW(lacuna::validate(checked{1}));
  CHECK_THROWS_AS(lacuna::validate(checked{0}), invalid_argument);
  CHECK_THROWS_AS(lacuna::validate(around{{0}}), invalid_argument);
  CHECK_NOTHROW(lacuna::validate([] {}));
  CHECK_NOTHROW(lacuna::validate(not_constant{}));
}
