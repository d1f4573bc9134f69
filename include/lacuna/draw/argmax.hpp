/// @file
/// @brief draw::argmax: the most likely token, ties to the lowest id.
///
/// Choose it for tasks with one right answer; for samples of the model's distribution take draw::categorical.
/// Cost: O(V), no random numbers.
/// ```cpp
/// auto sampler = lacuna::compose(lacuna::order::entropy_bound{0.1}, lacuna::draw::argmax{});
/// ```
#pragma once

#include <span>

#include "lacuna/concepts/draw_policy.hpp"
#include "lacuna/core/random.hpp"
#include "lacuna/core/row.hpp"
#include "lacuna/core/token.hpp"

namespace lacuna::draw {

struct argmax {
  token draw(std::span<const double> log_p, random_stream&) const { return lacuna::argmax(log_p); }
};

}  // namespace lacuna::draw
