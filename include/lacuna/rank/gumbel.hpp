/// @file
/// @brief rank::gumbel: Gumbel noise on another rank's score, so that the order is drawn rather than fixed.
///
/// Choose it when a deterministic order makes samples too alike: the best position wins with the probability that a softmax of
/// score / temperature gives it. Temperature 0 is the rank without noise, a huge one a uniformly random order. Ranks that are
/// probabilities (`is_probability`: confidence, margin) enter by their logarithm; the default is MaskGIT's, the log-probability
/// of the drawn token (Chang et al. 2022, arXiv 2202.04200; there the temperature also falls to 0 along the run).
/// Cost: one Philox block and two logarithms a candidate. Errors: a negative, infinite or NaN temperature is refused.
/// ```cpp
/// lacuna::order::top_k{lacuna::rank::gumbel{4.5}, lacuna::pace::cosine{12}}
/// lacuna::rank::gumbel{0.5, lacuna::rank::confidence{}}  // {temperature, inner}
/// ```
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>

#include "lacuna/concepts/rank_policy.hpp"
#include "lacuna/concepts/validate.hpp"
#include "lacuna/core/errors.hpp"
#include "lacuna/core/random.hpp"
#include "lacuna/core/statistics.hpp"
#include "lacuna/core/step_view.hpp"
#include "lacuna/rank/drawn.hpp"

namespace lacuna::rank {

template <rank_policy Inner = drawn>
struct gumbel {
  double temperature = 1;
  [[no_unique_address]] Inner inner{};

  static constexpr statistics needs = needs_of<Inner>;

  double operator()(const step_view& view, std::size_t k, const step_random& rng) const {
    double s = lacuna::score(inner, view, k, rng);
    if (temperature == 0) return s;
    if constexpr (requires { requires Inner::is_probability; }) s = std::log(std::max(s, std::numeric_limits<double>::min()));
    step_random noise = rng;  // a stream of its own, so that a random inner rank does not see the same bits
    noise.use = stream_use::other;
    return s + temperature * noise.at(view.positions[k]).gumbel();
  }

  void validate() const {
    if (!(temperature >= 0) || std::isinf(temperature))
      throw invalid_argument("rank::gumbel: temperature = " + std::to_string(temperature) + ", expected finite and at least 0");
    lacuna::validate(inner);
  }
};
gumbel()->gumbel<>;
gumbel(double)->gumbel<>;
template <class Inner>
gumbel(double, Inner) -> gumbel<Inner>;

}  // namespace lacuna::rank
