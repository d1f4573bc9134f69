/// @file
/// @brief A context with what probing said about some of its masked positions: what heads on pairs are trained on.
#pragma once

#include <cstddef>
#include <vector>

#include "lacuna/core/token.hpp"

namespace lacuna::train {

/// L positions, n of them masked, k of these probed. The model's hidden states are not kept: one pass brings them back.
struct labelled_context {
  static constexpr token masked = -1;

  std::vector<token> tokens;        ///< [L], `masked` where nothing is known
  std::vector<std::size_t> probed;  ///< [k] ascending
  std::vector<float> information;   ///< [k, n] nats, raw: from probing a position about each masked one; 0 about itself

  [[nodiscard]] std::vector<std::size_t> masked_positions() const {
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < tokens.size(); ++i)
      if (tokens[i] == masked) found.push_back(i);
    return found;
  }
  friend bool operator==(const labelled_context&, const labelled_context&) = default;
};

}  // namespace lacuna::train
