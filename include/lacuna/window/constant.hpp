/// @file
/// @brief window::constant: k positions a draft, whatever is revealed.
///
/// For left-to-right orders and blocks, where positions far ahead are not worth drafting; window::linear takes a share of the
/// sequence instead. Errors: k = 0 is refused.
/// ```cpp
/// lacuna::sample::speculative{lacuna::rank::left_to_right{}, lacuna::window::constant{8}}
/// ```
#pragma once

#include <cstddef>

#include "lacuna/core/errors.hpp"

namespace lacuna::window {

struct constant {
  std::size_t k = 8;

  std::size_t operator()(std::size_t /*revealed*/, std::size_t /*total*/) const { return k; }
  void validate() const {
    if (k == 0) throw invalid_argument("window::constant: k = 0, expected at least 1 position");
  }
};

}  // namespace lacuna::window
