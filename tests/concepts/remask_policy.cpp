#include "lacuna/concepts/remask_policy.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <vector>

#include "lacuna/draw/argmax.hpp"
#include "lacuna/order/ancestral.hpp"
#include "lacuna/problems/permutation.hpp"
#include "lacuna/remask/remdm_cap.hpp"
#include "lacuna/sample/compose.hpp"
#include "lacuna/sample/decode.hpp"

using namespace lacuna;

namespace {

/// The least a remasking policy may be: it never masks anything.
class archetype {
 public:
  explicit archetype(int) {}
  archetype(const archetype&) = default;
  archetype& operator=(const archetype&) = delete;
  void remask(const step_view&, const committed_view&, selection&, const step_random&) const {}
};

// ---- Accepted
static_assert(remask_policy<archetype> && !has_remask_rate<archetype>);

template <class... Arguments>
struct taking {
  bool remask(Arguments...) const;
};
static_assert(remask_policy<taking<step_view, committed_view, selection&, step_random>>);
struct with_rate : archetype {
  float rate(const time_step&) const;
};
static_assert(remask_policy<with_rate> && has_remask_rate<with_rate>);

// ---- Rejected
static_assert(!remask_policy<taking<const step_view&, selection&, const step_random&>>, "which tokens are committed?");
static_assert(!remask_policy<taking<const committed_view&, const step_view&, selection&, const step_random&>>);
static_assert(!remask_policy<taking<const step_view&, const committed_view&, canvas&, const step_random&>>,
              "the canvas is the loop's to change");
static_assert(!remask_policy<taking<const step_view&, committed_view&, selection&, const step_random&>>);
struct not_constant {
  void remask(const step_view&, const committed_view&, selection&, const step_random&);
};
static_assert(!remask_policy<not_constant>);
struct cannot_be_copied {
  cannot_be_copied(const cannot_be_copied&) = delete;
  void remask(const step_view&, const committed_view&, selection&, const step_random&) const;
};
static_assert(!remask_policy<cannot_be_copied>);
struct rate_of_a_number : archetype {
  double rate(double) const;
};
static_assert(!has_remask_rate<rate_of_a_number>, "a rate depends on the place on the grid");
static_assert(!remask_policy<int>);

}  // namespace

TEST_CASE("the least remasking policy decodes with an order that knows its number of steps") {
  problems::permutation model(3);
  const auto r = decode(model, canvas::blank(3), compose(order::ancestral{3}, draw::argmax{}, archetype{1}));
  CHECK(r.reason == stop_reason::complete);
}
