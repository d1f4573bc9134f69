#include "lacuna/concepts/drivable_model.hpp"

#include <doctest/doctest.h>

#include "lacuna/rank/left_to_right.hpp"
#include "lacuna/sample/any_sampler.hpp"
#include "lacuna/sample/compose.hpp"
#include "lacuna/sample/decode.hpp"
#include "lacuna/sample/sampler.hpp"
#include "lacuna/sample/speculative.hpp"
#include "tests/sample/draft_verify_models.hpp"
#include "tests/sample/policies.hpp"

using namespace lacuna;
using namespace lacuna::tests;

namespace {

struct facts_only {
  std::size_t vocabulary_size() const { return 3; }
  token mask_token() const { return 2; }
};
struct only_drafts : facts_only {
  void draft(const token_batch&, std::span<const std::size_t>, std::span<const std::size_t>, row_sink) {}
};
struct does_all : whole {
  void draft(const token_batch&, std::span<const std::size_t>, std::span<const std::size_t>, row_sink) {}
  std::size_t verify(const verify_batch&, row_sink) { return 1; }
  double draft_share() const { return 0.5; }
  double verify_share() const { return 0.5; }
};

static_assert(drivable_model<whole> && drivable_model<selective> && drivable_model<ragged> && drivable_model<ragged_selective>);
static_assert(drivable_model<drafts_and_verifies> && drivable_model<does_all>);
static_assert(!drivable_model<facts_only> && !drivable_model<only_drafts> && !drivable_model<int>);

using parallel = decltype(compose(order::left_to_right{}, draw::argmax{}));
static_assert(sampler_for<parallel, whole> && !sampler_for<parallel, drafts_and_verifies>);
static_assert(sampler_for<sample::speculative<>, drafts_and_verifies> && !sampler_for<sample::speculative<>, whole>);
static_assert(sampler_for<parallel, does_all> && sampler_for<sample::speculative<>, does_all>);

// samplers that say the wrong thing about themselves
struct slips : sample::speculative<> {
  static constexpr bool wants_verification = false;
};
struct slips_back : parallel {
  static constexpr bool wants_verification = true;
};

// samplers of the two kinds do not go into one type
static_assert(std::convertible_to<sample::speculative<>, sample::any_verifying_sampler> &&
              !std::convertible_to<sample::speculative<>, sample::any_sampler> &&
              !std::convertible_to<parallel, sample::any_verifying_sampler>);
static_assert(sampler_for<sample::any_verifying_sampler, drafts_and_verifies> &&
              !sampler_for<sample::any_verifying_sampler, whole>);

}  // namespace

TEST_CASE("a sampler that asks for calls which it did not announce is told so") {
  whole model;
  CHECK_THROWS_WITH_AS(decode(model, canvas::blank(3), slips{}, 1),
                       "sampler: asked for drafts or verifications, expected plain rows: the model is no draft_verify_model",
                       error);
  drafts_and_verifies other;
  CHECK_THROWS_WITH_AS(decode(other, canvas::blank(3), slips_back{}, 1),
                       "sampler: asked for plain rows, expected drafts and verifications: the model has no plain call", error);
}
