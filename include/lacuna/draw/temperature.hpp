/// @file
/// @brief draw::temperature: flattens or sharpens the row before another draw looks at it.
///
/// For stacks in which a filter must see the row at its temperature: in `temperature{0.7, top_p{0.9}}` the nucleus is that of
/// the sharpened row, in `top_p{0.9, categorical{0.7}}` that of the model's. Alone, draw::categorical has a temperature of its
/// own. 0 leaves the most likely token only, +infinity all tokens that have mass alike. Cost: O(V).
/// Errors: a negative or NaN temperature is refused.
/// ```cpp
/// lacuna::draw::temperature{0.7, lacuna::draw::top_p{0.9}}
/// ```
#pragma once

#include <cmath>
#include <cstddef>
#include <span>
#include <string>

#include "lacuna/concepts/draw_policy.hpp"
#include "lacuna/concepts/validate.hpp"
#include "lacuna/core/errors.hpp"
#include "lacuna/core/random.hpp"
#include "lacuna/core/row.hpp"
#include "lacuna/core/token.hpp"

namespace lacuna::draw {

/// Divides a row of log-probabilities by the temperature and normalises it. What has no mass gets none.
inline void scale(std::span<double> log_p, double temperature) {
  const auto best = static_cast<std::size_t>(lacuna::argmax(log_p));
  const double largest = log_p[best];
  for (std::size_t v = 0; v < log_p.size(); ++v) {
    double& x = log_p[v];
    if (x == -infinity) continue;
    if (temperature == 0)
      x = v == best ? 0 : -infinity;
    else
      x = std::isinf(temperature) ? 0 : (x - largest) / temperature;
  }
  normalize_row(log_p);
}

/// Throws invalid_argument, naming the policy, unless 0 <= temperature <= +infinity.
inline void validate_temperature(const char* policy, double temperature) {
  if (!(temperature >= 0))
    throw invalid_argument(std::string(policy) + ": temperature = " + std::to_string(temperature) +
                           ", expected at least 0 (0 is argmax, infinity uniform)");
}

template <draw_policy Inner>
struct temperature {
  double value = 1;
  [[no_unique_address]] Inner inner{};

  token draw(std::span<double> log_p, random_stream& rng) const {
    if (value != 1) scale(log_p, value);
    return inner.draw(log_p, rng);
  }

  void validate() const {
    validate_temperature("draw::temperature", value);
    lacuna::validate(inner);
  }
};
template <class Inner>
temperature(double, Inner) -> temperature<Inner>;

}  // namespace lacuna::draw
