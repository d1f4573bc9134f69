// What must hold always, for random policies, models, canvases, endings and batches. Orders that probe.
#include <doctest/doctest.h>

#include "lacuna/draw/argmax.hpp"
#include "lacuna/draw/categorical.hpp"
#include "lacuna/mi/enumerated.hpp"
#include "lacuna/mi/mixture.hpp"
#include "lacuna/mi/pruned.hpp"
#include "lacuna/mi/sampled.hpp"
#include "lacuna/order/blocks.hpp"
#include "lacuna/order/dependence_bound.hpp"
#include "lacuna/order/mi_guided.hpp"
#include "lacuna/order/punt.hpp"
#include "lacuna/rank/margin.hpp"
#include "lacuna/sample/compose.hpp"
#include "tests/sample/scenario.hpp"

using namespace lacuna;
using namespace lacuna::tests;

namespace {

/// A number between 0 and 1.
double share() { return *rc::gen::inRange(0, 101) / 100.0; }

template <class MakeSampler>
void check(const char* name, MakeSampler&& make) {
  check_property(name, 60, [&] { check_run(make(), false); });
}

}  // namespace

TEST_CASE("what must hold always: guided by mutual information") {
  check("mi_guided", [] { return compose(order::mi_guided{mi::enumerated{}, 5 * share()}, draw::categorical{}); });
  check("mi_guided by threshold", [] {
    return compose(order::mi_guided{mi::mixture{}, 4 * share(), 1.0, order::budget::threshold{}}, draw::argmax{},
                   ending::stop{});
  });
  check("dependence_bound", [] {
    const std::size_t rounds = *rc::gen::inRange<std::size_t>(1, 5);
    return compose(order::dependence_bound{mi::pruned{0.01}, share(), 1.0, rounds}, draw::categorical{},
                   ending::last<ending::stop>{});
  });
}

TEST_CASE("what must hold always: probing in blocks, and by tests") {
  check("blocks of mi_guided", [] {
    const std::size_t size = *rc::gen::inRange<std::size_t>(1, 9);
    return compose(order::blocks{size, order::mi_guided{mi::sampled{3}, 5 * share()}}, draw::categorical{}, ending::stop{});
  });
  check("punt", [] { return compose(order::punt{share()}, draw::categorical{}, ending::last<>{}); });
  check("blocks of punt", [] {
    const std::size_t size = *rc::gen::inRange<std::size_t>(1, 9);
    return compose(order::blocks{size, order::punt{share(), rank::margin{}}}, draw::argmax{});
  });
}
