/// @file
/// @brief Counts what this program takes from the heap.
#pragma once

#include <cstddef>

namespace lacuna::tests {

/// Calls of operator new since the program began.
std::size_t allocations();

/// Remembers how much of the heap is in use and how much more ever was since then. One at a time, one thread.
class heap_peak {
 public:
  heap_peak();
  /// Most bytes in use at any time since the construction, beyond those in use then.
  [[nodiscard]] std::size_t bytes() const;

 private:
  std::size_t before_;
};

}  // namespace lacuna::tests
