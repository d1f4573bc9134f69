// What must hold always, for random policies, models, canvases, endings and batches. With remasking.
#include <doctest/doctest.h>

#include "lacuna/draw/categorical.hpp"
#include "lacuna/order/ancestral.hpp"
#include "lacuna/order/blocks.hpp"
#include "lacuna/order/top_k.hpp"
#include "lacuna/remask/p2.hpp"
#include "lacuna/remask/remdm_cap.hpp"
#include "lacuna/remask/remdm_confidence.hpp"
#include "lacuna/remask/remdm_rescale.hpp"
#include "lacuna/sample/compose.hpp"
#include "tests/sample/policies.hpp"
#include "tests/sample/scenario.hpp"

using namespace lacuna;
using namespace lacuna::tests;

namespace {

/// A number of steps, more than there are masks at times.
std::size_t some() { return *rc::gen::inRange<std::size_t>(1, 30); }
/// A number between 0 and 1.
double share() { return *rc::gen::inRange(0, 101) / 100.0; }

template <class MakeSampler>
void check(const char* name, MakeSampler&& make) {
  check_property(name, 200, [&] { check_run(make(), true); });
}

}  // namespace

TEST_CASE("what must hold always: remasking") {
  check("ancestral, capped", [] { return compose(order::ancestral{some()}, draw::categorical{}, remask::remdm_cap{share()}); });
  check("ancestral, by confidence", [] {
    return compose(order::ancestral{some(), pace::cosine_curve{}}, draw::categorical{},
                   remask::remdm_confidence{remask::remdm_rescale{share()}}, ending::stop{});
  });
  check("top_k, P2", [] {
    return compose(order::top_k{rank::confidence{}, pace::linear{some()}}, draw::categorical{}, remask::p2{share()},
                   ending::last<ending::stop>{});
  });
  check("blocks of top_k, capped", [] {
    return compose(order::blocks{*rc::gen::inRange<std::size_t>(1, 8), order::top_k{rank::confidence{}, pace::linear{some()}}},
                   draw::categorical{}, remask::remdm_cap{share()}, ending::stop{});
  });
  check("every token, any clock", [] {
    return compose(timed{some(), 1}, draw::categorical{}, sometimes{share()}, ending::stop{});
  });
}
