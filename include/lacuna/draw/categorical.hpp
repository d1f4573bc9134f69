/// @file
/// @brief draw::categorical: a token drawn from the row, at a temperature.
///
/// At temperature 1 (the default) an exact draw from the model; below, closer to draw::argmax, which it is at 0; above,
/// flatter, down to uniform over all tokens that have mass at +infinity. A token without mass is never drawn. One uniform
/// number from the position's stream is looked up in the running sum of the probabilities, in double, so that rare tokens keep
/// their share (float32 Gumbel noise, common elsewhere, quietly lowers the temperature: Zheng et al. 2024, arXiv 2409.02908).
/// Cost: O(V), one exponential a token. Errors: a negative or NaN temperature is refused.
/// ```cpp
/// auto sampler = lacuna::compose(lacuna::order::ancestral{64}, lacuna::draw::categorical{});
/// lacuna::draw::categorical{.temperature = 0.7}
/// ```
#pragma once

#include <cmath>
#include <cstddef>
#include <span>

#include "lacuna/concepts/draw_policy.hpp"
#include "lacuna/core/pick.hpp"
#include "lacuna/core/random.hpp"
#include "lacuna/core/token.hpp"
#include "lacuna/draw/temperature.hpp"

namespace lacuna::draw {

struct categorical {
  double temperature = 1;

  token draw(std::span<double> log_p, random_stream& rng) const {
    if (temperature != 1) scale(log_p, temperature);
    double total = 0;
    for (double& v : log_p) total += v = std::exp(v);
    return static_cast<token>(pick(log_p, rng.uniform() * total));
  }

  void validate() const { validate_temperature("draw::categorical", temperature); }
};

}  // namespace lacuna::draw
