/// @file
/// @brief rank_policy: one score per candidate; higher means "unmask earlier". What most order policies are built on.
#pragma once

#include <concepts>
#include <cstddef>
#include <limits>

#include "lacuna/core/random.hpp"
#include "lacuna/core/step_view.hpp"

namespace lacuna {

/// r(view, k) -> double: the score of candidate k. A lambda will do.
template <class R>
concept plain_rank = requires(const R& r, const step_view& view, std::size_t k) {
  { r(view, k) } -> std::convertible_to<double>;
};

/// r(view, k, rng) -> double: a score that uses randomness, from `rng.at(position)` so that it depends on nothing else.
template <class R>
concept random_rank = requires(const R& r, const step_view& view, std::size_t k, const step_random& rng) {
  { r(view, k, rng) } -> std::convertible_to<double>;
};

/// r in one of the two forms; spelled out once more so that compilers name the expressions they miss.
template <class R>
concept ranks_candidates = requires(const R& r, const step_view& view, std::size_t k, const step_random& rng) {
  requires requires {
    { r(view, k) } -> std::convertible_to<double>;
  } || requires {
    { r(view, k, rng) } -> std::convertible_to<double>;
  };
};

template <class R>
concept rank_policy = std::copy_constructible<R> && ranks_candidates<R>;

/// R::before_pass: the score depends on positions, steps and random numbers alone, nothing the model says. A sampler that ranks
/// first may then have the best candidates scored and no others.
template <class R>
concept rank_before_pass = rank_policy<R> && requires {
  requires R::before_pass;
};

/// The score of candidate k; NaN counts as the worst.
template <rank_policy R>
double score(const R& r, const step_view& view, std::size_t k, const step_random& rng) {
  double s = 0;
  if constexpr (random_rank<R>)
    s = r(view, k, rng);
  else
    s = r(view, k);
  return s == s ? s : -std::numeric_limits<double>::infinity();
}

}  // namespace lacuna
