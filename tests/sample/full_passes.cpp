#include "lacuna/sample/full_passes.hpp"

#include <doctest/doctest.h>

#include "lacuna/core/cost.hpp"

using namespace lacuna;

namespace {

struct twelve_blocks {
  double draft_share() const { return 11.0 / 12; }
  double verify_share() const { return 1.0 / 12; }
};

}  // namespace

TEST_CASE("drafts and verifications count by their shares of a pass, everything else as a pass") {
  nfe cost;
  cost.of(purpose::draft) = {5, 6};
  cost.of(purpose::verify) = {7, 18};
  CHECK(full_passes(cost, twelve_blocks{}) == doctest::Approx(5.5 + 1.5));
  cost.of(purpose::decode) = {1, 2};
  cost.of(purpose::probe) = {1, 3};
  CHECK(full_passes(cost, twelve_blocks{}) == doctest::Approx(12));
  CHECK(full_passes(nfe{}, twelve_blocks{}) == 0);
}
