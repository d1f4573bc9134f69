/// @file
/// @brief compose: the front door, an order policy and a draw make a sampler; remasking and an ending are optional.
///
/// ```cpp
/// auto sampler = lacuna::compose(lacuna::order::entropy_bound{.gamma = 0.1}, lacuna::draw::argmax{});
/// ```
/// Every order fits every draw and every ending; remasking fits orders that know their number of steps.
#pragma once

#include <utility>

#include "lacuna/sample/parallel.hpp"

namespace lacuna {

template <order_policy Order, draw_policy Draw>
constexpr auto compose(Order order, Draw draw) {
  return sample::parallel<Order, Draw>{std::move(order), std::move(draw), {}, {}};
}

template <timed_order_policy Order, draw_policy Draw, remask_policy Remask>
constexpr auto compose(Order order, Draw draw, Remask remask) {
  return sample::parallel<Order, Draw, Remask>{std::move(order), std::move(draw), std::move(remask), {}};
}

template <order_policy Order, draw_policy Draw, ending_policy Ending>
constexpr auto compose(Order order, Draw draw, Ending ending) {
  return sample::parallel<Order, Draw, no_remask, Ending>{std::move(order), std::move(draw), {}, std::move(ending)};
}

template <timed_order_policy Order, draw_policy Draw, remask_policy Remask, ending_policy Ending>
constexpr auto compose(Order order, Draw draw, Remask remask, Ending ending) {
  return sample::parallel<Order, Draw, Remask, Ending>{std::move(order), std::move(draw), std::move(remask), std::move(ending)};
}

}  // namespace lacuna
