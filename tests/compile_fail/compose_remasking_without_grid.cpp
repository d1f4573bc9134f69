// Remasking around an order that does not know its number of steps.
// expect: timed_order_policy
// expect: p.time\(view, memory\)
#include "lacuna/draw/argmax.hpp"
#include "lacuna/order/ancestral.hpp"
#include "lacuna/order/threshold.hpp"
#include "lacuna/remask/remdm_cap.hpp"
#include "lacuna/sample/compose.hpp"

#ifdef FIXED
const auto sampler = lacuna::compose(lacuna::order::ancestral{8}, lacuna::draw::argmax{}, lacuna::remask::remdm_cap{});
#else
const auto sampler = lacuna::compose(lacuna::order::threshold{}, lacuna::draw::argmax{}, lacuna::remask::remdm_cap{});
#endif
