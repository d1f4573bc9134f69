/// @file
/// @brief The loss of an estimate of information: squared error in nats, squared error of logarithms, or both.
///
/// Squared errors alone teach the large values; which positions may be filled in together hangs on the small ones, 1e-4 to 1e-2
/// nats, and these the logarithm teaches. `floor` nats are added before it is taken: what lies below them is all the same.
#pragma once

#include <cmath>
#include <string>

#include "lacuna/core/errors.hpp"

namespace lacuna::nn {

struct pair_loss {
  double square = 1;      ///< weight of (estimate - target)^2
  double log_square = 0;  ///< weight of (log(estimate + floor) - log(target + floor))^2
  double floor = 1e-4;    ///< nats

  /// The loss and its derivative with respect to the estimate.
  struct value_and_slope {
    double value, slope;
  };
  [[nodiscard]] value_and_slope operator()(double estimate, double target) const {
    const double error = estimate - target;
    value_and_slope out{square * error * error, 2 * square * error};
    if (log_square != 0) {
      const double ratio = std::log((estimate + floor) / (target + floor));
      out.value += log_square * ratio * ratio;
      out.slope += 2 * log_square * ratio / (estimate + floor);
    }
    return out;
  }

  void validate() const {
    if (!(square >= 0 && log_square >= 0 && std::isfinite(square + log_square) && square + log_square > 0))
      throw invalid_argument("pair_loss: weights " + std::to_string(square) + " and " + std::to_string(log_square) +
                             ", expected finite numbers of at least 0, one of them more");
    if (!(floor > 0 && std::isfinite(floor)))
      throw invalid_argument("pair_loss: floor = " + std::to_string(floor) + " nats, expected a number more than 0");
  }
};

}  // namespace lacuna::nn
