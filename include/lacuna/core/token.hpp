/// @file
/// @brief The integer that names one vocabulary entry.
#pragma once

#include <cstdint>

namespace lacuna {

/// An index into the vocabulary, 0 <= token < V. Signed, so that a user's own "no token" (often -1) stays representable.
using token = std::int32_t;

}  // namespace lacuna
