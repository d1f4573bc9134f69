/// @file
/// @brief A set of candidates chosen by a policy, in the order of choice.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "lacuna/core/errors.hpp"

namespace lacuna {

/// Indices k of candidates (0 <= k < n of the step view), each at most once. Adding one twice is harmless.
class selection {
 public:
  /// Empties the set and sets the number of candidates; allocates only beyond the largest n so far.
  void reset(std::size_t n) {
    flags_.assign(n, 0);
    chosen_.clear();
    chosen_.reserve(n);
  }

  /// Throws `error` if there is no candidate k: the usual slip is to add a position.
  void add(std::size_t k) {
    if (k >= flags_.size())
      throw error("selection: candidate " + std::to_string(k) + " was added, expected an index below " +
                  std::to_string(flags_.size()) + " (of a candidate, not a position)");
    if (flags_[k] != 0) return;
    flags_[k] = 1;
    chosen_.push_back(k);
  }

  [[nodiscard]] bool contains(std::size_t k) const { return flags_[k] != 0; }
  [[nodiscard]] bool empty() const { return chosen_.empty(); }
  [[nodiscard]] std::size_t size() const { return chosen_.size(); }
  /// The chosen candidates in the order of choice.
  [[nodiscard]] std::span<const std::size_t> chosen() const { return chosen_; }

 private:
  std::vector<std::uint8_t> flags_;
  std::vector<std::size_t> chosen_;
};

}  // namespace lacuna
