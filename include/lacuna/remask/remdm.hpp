/// @file
/// @brief What the ReMDM policies share: the largest admissible rate, and masking every token again with one probability.
///
/// Wang, Schiff, Sahoo, Kuleshov, "Remasking Discrete Diffusion Models with Inference-Time Scaling", 2025 (arXiv 2503.00307).
/// With share revealed α_t now and α_s after the step, a committed token is masked again with probability σ and a masked
/// position revealed with (α_s − (1 − σ) α_t) / (1 − α_t), which leaves the marginals of the diffusion process as they are;
/// that is a probability as long as σ <= (1 − α_s) / α_t. order::ancestral reveals with it, order::top_k under a timed pace
/// reveals the number that it gives on average.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>

#include "lacuna/core/errors.hpp"
#include "lacuna/core/random.hpp"
#include "lacuna/core/selection.hpp"
#include "lacuna/core/step_view.hpp"

namespace lacuna::remask {

/// σ_max = min(1, (1 − α_s) / α_t).
inline double largest_rate(const time_step& time) {
  return time.revealed_now > 0 ? std::clamp((1 - time.revealed_next) / time.revealed_now, 0.0, 1.0) : 1.0;
}

/// Masks each committed token again with probability `rate`, independently.
inline void mask_each(double rate, const committed_view& committed, selection& out, const step_random& rng) {
  for (std::size_t j = 0; j < committed.size(); ++j)
    if (rng.at(committed.positions[j]).bernoulli(rate)) out.add(j);
}

/// Throws invalid_argument, naming the policy, unless 0 <= eta <= 1.
inline void validate_eta(const char* policy, double eta) {
  if (!(eta >= 0 && eta <= 1))
    throw invalid_argument(std::string(policy) + ": eta = " + std::to_string(eta) + ", expected a probability, 0 to 1");
}

}  // namespace lacuna::remask
