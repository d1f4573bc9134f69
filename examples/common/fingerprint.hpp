/// @file
/// @brief A number that stands for many others: FNV-1a.
#pragma once

#include <cstdint>
#include <string>

#include "text_table.hpp"

namespace common {

/// Takes in numbers one after the other.
class fingerprint {
 public:
  void add(std::uint64_t number) { hash_ = (hash_ ^ number) * 0x100000001b3U; }
  [[nodiscard]] std::uint64_t number() const { return hash_; }
  /// Sixteen hexadecimal digits.
  [[nodiscard]] std::string text() const { return format("%016llx", static_cast<unsigned long long>(hash_)); }

 private:
  std::uint64_t hash_ = 0xcbf29ce484222325U;
};

}  // namespace common
