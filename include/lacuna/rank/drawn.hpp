/// @file
/// @brief rank::drawn: the log-probability, in nats, of the token that was drawn for the position.
///
/// Under argmax draws the order of rank::confidence; under random draws it favours positions whose *draw* was likely, which
/// keeps unlikely tokens out and narrows the samples. MaskGIT (Chang et al. 2022, arXiv 2202.04200), LLaDA's "low confidence
/// remasking" (Nie et al. 2025, arXiv 2502.09992), and what remask::p2 plans with. Cost: none.
/// ```cpp
/// lacuna::order::top_k{lacuna::rank::drawn{}, lacuna::pace::cosine{12}}
/// ```
#pragma once

#include <cstddef>

#include "lacuna/concepts/rank_policy.hpp"
#include "lacuna/core/statistics.hpp"
#include "lacuna/core/step_view.hpp"

namespace lacuna::rank {

struct drawn {
  static constexpr statistics needs = statistics::none;

  double operator()(const step_view& view, std::size_t k) const { return view.drawn_log_probability[k]; }
};

}  // namespace lacuna::rank
