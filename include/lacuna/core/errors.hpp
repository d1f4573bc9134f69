/// @file
/// @brief The exceptions the library throws. Each message says what was got and what was expected.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>

namespace lacuna {

/// Base of everything the library throws on purpose.
struct error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A caller's value is out of range or inconsistent (a policy parameter, a canvas, a prompt); thrown before the first pass.
struct invalid_argument : error {
  using error::error;
};

/// A model broke its contract: wrong shape, or a row without a single finite logit among the tokens that may be generated.
struct model_error : error {
  using error::error;
};

/// An estimator gave something that is not a number; the message names the pair of positions.
struct estimator_error : model_error {
  using model_error::model_error;
};

/// A file is malformed, truncated, or not what was asked for.
struct file_error : error {
  using error::error;
};

}  // namespace lacuna
