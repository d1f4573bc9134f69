/// @file
/// @brief window::none: everything that is left.
///
/// The fewest drafts. Late positions are verified against hidden states that saw little: choose window::cosine where quality
/// counts. Source: Self-Speculative Masked Diffusions (arXiv 2510.03929).
/// ```cpp
/// lacuna::sample::speculative{lacuna::rank::random{}, lacuna::window::none{}}
/// ```
#pragma once

#include <cstddef>

namespace lacuna::window {

struct none {
  std::size_t operator()(std::size_t revealed, std::size_t total) const { return total - revealed; }
};

}  // namespace lacuna::window
