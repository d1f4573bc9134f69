/// @file
/// @brief draw_policy: which token to put at a position, given its row of log-probabilities.
#pragma once

#include <concepts>
#include <span>

#include "lacuna/core/random.hpp"
#include "lacuna/core/token.hpp"

namespace lacuna {

/// d.draw(log_p [V], stream) -> token. The row is normalised, tokens that may never be generated are −infinity and at least
/// one is not; it is a copy the policy may overwrite (filters do). Must return a token with log_p > −infinity.
template <class D>
concept draw_policy = std::copy_constructible<D> && requires(const D& d, std::span<double> log_p, random_stream& rng) {
  { d.draw(log_p, rng) } -> std::same_as<token>;
};

}  // namespace lacuna
