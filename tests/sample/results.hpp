/// @file
/// @brief Whether two results are the same in everything.
#pragma once

#include <vector>

#include "lacuna/sample/result.hpp"

namespace lacuna::tests {

inline bool same(const decode_result& a, const decode_result& b) {
  return a.tokens == b.tokens && a.step == b.step && a.confidence == b.confidence && a.cells == b.cells && a.steps == b.steps &&
         a.cost == b.cost && a.reason == b.reason;
}
inline bool same(const std::vector<decode_result>& a, const std::vector<decode_result>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t r = 0; r < a.size(); ++r)
    if (!same(a[r], b[r])) return false;
  return true;
}

}  // namespace lacuna::tests
