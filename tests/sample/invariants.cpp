// What must hold always, for random policies, models, canvases, endings and batches. Without remasking.
#include <doctest/doctest.h>

#include "lacuna/draw/argmax.hpp"
#include "lacuna/draw/categorical.hpp"
#include "lacuna/draw/temperature.hpp"
#include "lacuna/draw/top_p.hpp"
#include "lacuna/order/ancestral.hpp"
#include "lacuna/order/blocks.hpp"
#include "lacuna/order/dilated.hpp"
#include "lacuna/order/entropy_bound.hpp"
#include "lacuna/order/factor.hpp"
#include "lacuna/order/klass.hpp"
#include "lacuna/order/left_to_right.hpp"
#include "lacuna/order/random.hpp"
#include "lacuna/order/threshold.hpp"
#include "lacuna/order/top_k.hpp"
#include "lacuna/rank/gumbel.hpp"
#include "lacuna/rank/margin.hpp"
#include "lacuna/sample/compose.hpp"
#include "tests/sample/policies.hpp"
#include "tests/sample/scenario.hpp"

using namespace lacuna;
using namespace lacuna::tests;

namespace {

/// A small number of steps, positions or the like.
std::size_t some() { return *rc::gen::inRange<std::size_t>(1, 9); }
/// A number between 0 and 1.
double share() { return *rc::gen::inRange(0, 101) / 100.0; }

template <class MakeSampler>
void check(const char* name, MakeSampler&& make) {
  check_property(name, 200, [&] { check_run(make(), false); });
}

}  // namespace

TEST_CASE("what must hold always: fixed numbers of steps") {
  check("random", [] { return compose(order::random{pace::linear{some()}}, draw::categorical{}); });
  check("ancestral", [] { return compose(order::ancestral{some(), pace::cosine_curve{}}, draw::argmax{}, ending::stop{}); });
  check("top_k", [] {
    return compose(order::top_k{rank::gumbel{share()}, pace::cosine{some()}}, draw::top_p{0.5 + share() / 2},
                   ending::last<ending::stop>{});
  });
  check("left to right", [] { return compose(order::left_to_right{some()}, draw::argmax{}, ending::stop{}); });
  check("dilated", [] { return compose(order::dilated{some() + 1, 2}, draw::categorical{}); });
}

TEST_CASE("what must hold always: as many positions as the model is sure of") {
  check("threshold", [] { return compose(order::threshold{share()}, draw::categorical{share()}, ending::stop{}); });
  check("factor", [] { return compose(order::factor{share()}, draw::argmax{}, ending::last<>{}); });
  check("entropy bound", [] {
    return compose(order::entropy_bound{share(), rank::margin{}}, draw::temperature{0.1 + share(), draw::categorical{}});
  });
  check("klass", [] { return compose(order::klass{share(), 0.1}, draw::argmax{}); });
}

TEST_CASE("what must hold always: blocks") {
  check("blocks of threshold", [] {
    return compose(order::blocks{some(), order::threshold{share()}}, draw::categorical{}, ending::last<ending::stop>{});
  });
  check("blocks of top_k", [] {
    return compose(order::blocks{some(), order::top_k{rank::margin{}, pace::linear{some()}}}, draw::argmax{}, ending::stop{});
  });
}

TEST_CASE("what must hold always: policies that do not do their part") {
  check("selects nothing", [] { return compose(selects_nothing{}, draw::categorical{}); });
  check("everything at once", [] { return compose(everything, draw::categorical{}, ending::stop{}); });
}
