/// @file
/// @brief Texts with gaps: what is given, and an underscore for each symbol that is to be written.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "alphabet.hpp"
#include "lacuna/core/canvas.hpp"
#include "lacuna/core/errors.hpp"

namespace text {

/// The given symbols fixed, everything else, and what follows up to `length`, to be written. Throws lacuna::invalid_argument
/// for a text that is longer, or has a character that is no symbol; `what` begins the message.
inline lacuna::canvas canvas_of(std::string_view gapped, std::size_t length, const std::string& what) {
  if (gapped.size() > length)
    throw lacuna::invalid_argument(what + ": " + std::to_string(gapped.size()) + " symbols, expected at most " +
                                   std::to_string(length));
  lacuna::canvas canvas = lacuna::canvas::blank(length);
  for (std::size_t i = 0; i < gapped.size(); ++i) {
    if (gapped[i] == '_') continue;
    if (!is_symbol(gapped[i]))
      throw lacuna::invalid_argument(what + ": character " + std::to_string(i) + " has code " +
                                     std::to_string(static_cast<unsigned char>(gapped[i])) +
                                     ", expected a to z, a space or an underscore");
    canvas.fix(i, token_of(gapped[i]));
  }
  return canvas;
}

}  // namespace text
