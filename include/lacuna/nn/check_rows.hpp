/// @file
/// @brief What is asked of rows and of wanted positions before a pass: invalid_argument with got and expected.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "lacuna/core/errors.hpp"
#include "lacuna/core/token.hpp"
#include "lacuna/nn/config.hpp"
#include "lacuna/nn/forward_pass.hpp"

namespace lacuna::nn {

/// Refuses rows longer than max_length and tokens outside the vocabulary; `who` begins the message.
inline void check_rows(const transformer_config& c, const packed_rows& rows, const char* who) {
  for (std::size_t b = 0; b < rows.count(); ++b)
    if (rows.offsets[b + 1] < rows.offsets[b] || rows.offsets[b + 1] - rows.offsets[b] > c.max_length)
      throw invalid_argument(std::string{who} + ": row " + std::to_string(b) + " runs from " + std::to_string(rows.offsets[b]) +
                             " to " + std::to_string(rows.offsets[b + 1]) + ", expected a length of at most " +
                             std::to_string(c.max_length));
  for (std::size_t n = 0; n < rows.offsets.back(); ++n)
    if (rows.tokens[n] < 0 || static_cast<std::size_t>(rows.tokens[n]) >= c.vocabulary)
      throw invalid_argument(std::string{who} + ": token " + std::to_string(n) + " is " + std::to_string(rows.tokens[n]) +
                             ", expected 0.." + std::to_string(c.vocabulary - 1));
}

/// Refuses wanted positions that do not ascend or are not among `count`.
inline void check_wanted(std::span<const std::size_t> wanted, std::size_t count, const char* who) {
  for (std::size_t k = 0; k < wanted.size(); ++k)
    if (wanted[k] >= count || (k > 0 && wanted[k] < wanted[k - 1]))
      throw invalid_argument(std::string{who} + ": wanted position " + std::to_string(k) + " is " + std::to_string(wanted[k]) +
                             (k > 0 ? " after " + std::to_string(wanted[k - 1]) : std::string{}) +
                             ", expected ascending positions below " + std::to_string(count));
}

}  // namespace lacuna::nn
