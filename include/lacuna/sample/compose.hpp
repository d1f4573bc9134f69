/// @file
/// @brief compose: the front door, an order policy and a draw make a sampler; remasking and an ending are optional.
///
/// ```cpp
/// auto sampler = lacuna::compose(lacuna::order::entropy_bound{.gamma = 0.1}, lacuna::draw::argmax{});
/// ```
/// Every order fits every draw and every ending; remasking fits orders that know their number of steps. An order that probes
/// gets the sampler for such orders.
#pragma once

#include <utility>

#include "lacuna/concepts/probing_order_policy.hpp"
#include "lacuna/sample/parallel.hpp"
#include "lacuna/sample/probing.hpp"

namespace lacuna {

namespace detail {

/// The sampler that asks the order what it wants to know, if it is one that asks.
template <class Order, class Parallel>
constexpr auto sampler_of(Parallel p) {
  if constexpr (probing_order_policy<Order>)
    return sample::probing<Parallel>{std::move(p)};
  else
    return p;
}

}  // namespace detail

template <order_policy Order, draw_policy Draw>
constexpr auto compose(Order order, Draw draw) {
  return detail::sampler_of<Order>(sample::parallel<Order, Draw>{std::move(order), std::move(draw), {}, {}});
}

template <timed_order_policy Order, draw_policy Draw, remask_policy Remask>
constexpr auto compose(Order order, Draw draw, Remask remask) {
  return detail::sampler_of<Order>(
      sample::parallel<Order, Draw, Remask>{std::move(order), std::move(draw), std::move(remask), {}});
}

template <order_policy Order, draw_policy Draw, ending_policy Ending>
constexpr auto compose(Order order, Draw draw, Ending ending) {
  return detail::sampler_of<Order>(
      sample::parallel<Order, Draw, no_remask, Ending>{std::move(order), std::move(draw), {}, std::move(ending)});
}

template <timed_order_policy Order, draw_policy Draw, remask_policy Remask, ending_policy Ending>
constexpr auto compose(Order order, Draw draw, Remask remask, Ending ending) {
  return detail::sampler_of<Order>(
      sample::parallel<Order, Draw, Remask, Ending>{std::move(order), std::move(draw), std::move(remask), std::move(ending)});
}

}  // namespace lacuna
