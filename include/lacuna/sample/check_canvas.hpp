/// @file
/// @brief Whether a canvas fits a model.
#pragma once

#include <cstddef>
#include <string>

#include "lacuna/concepts/model_facts.hpp"
#include "lacuna/core/canvas.hpp"
#include "lacuna/core/errors.hpp"

namespace lacuna {

/// Throws invalid_argument, beginning with `where`, if the canvas is empty, longer than the model takes, or holds a token the
/// model does not know at a position that is not masked.
inline void check_canvas(const canvas& c, const model_facts& facts, const std::string& where) {
  if (c.size() == 0) throw invalid_argument(where + ": canvas of length 0, expected at least 1 position");
  if (facts.max_length && c.size() > *facts.max_length)
    throw invalid_argument(where + ": canvas of length " + std::to_string(c.size()) + ", the model takes at most " +
                           std::to_string(*facts.max_length));
  for (std::size_t i = 0; i < c.size(); ++i)
    if (!c.is_masked(i) && (c[i] < 0 || static_cast<std::size_t>(c[i]) >= facts.vocabulary))
      throw invalid_argument(where + ": token " + std::to_string(c[i]) + " at position " + std::to_string(i) +
                             ", expected 0 to " + std::to_string(facts.vocabulary - 1));
}

}  // namespace lacuna
