/// @file
/// @brief Names of the per-position statistics a policy can ask for at compile time.
///
/// A policy states `static constexpr statistics needs = statistics::entropy | statistics::margin;`. Only what some policy of
/// the composition needs is computed; everything not named is absent from the step view (an assert catches the access). A
/// policy without `needs` (a lambda) gets the three scalars.
#pragma once

#include <cstdint>

namespace lacuna {

enum class statistics : std::uint8_t {
  none = 0,
  confidence = 1,  ///< largest probability of a row
  margin = 2,      ///< largest minus second largest probability
  entropy = 4,     ///< entropy of a row in nats
  rows = 8,        ///< the whole row of log-probabilities, [n, V] doubles held
  hidden = 16,     ///< the model's last hidden state, [n, D]; needs a hidden_state_model
  committed = 32   ///< for remasking: the present probability of each committed token (its row is scored too)
};

constexpr statistics operator|(statistics a, statistics b) {
  return static_cast<statistics>(static_cast<std::uint8_t>(a) | static_cast<std::uint8_t>(b));
}

/// Whether `set` contains `one`.
constexpr bool contains(statistics set, statistics one) {
  return (static_cast<std::uint8_t>(set) & static_cast<std::uint8_t>(one)) != 0;
}

/// What policy P asks for: `P::needs`, or the three scalars if it does not say.
template <class P>
inline constexpr statistics needs_of = statistics::confidence | statistics::margin | statistics::entropy;
template <class P>
requires requires { P::needs; }
inline constexpr statistics needs_of<P> = P::needs;

}  // namespace lacuna
