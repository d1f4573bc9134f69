/// @file
/// @brief Facts about a model that live with the model: the optional members a model class may have.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "lacuna/concepts/masked_model.hpp"
#include "lacuna/core/errors.hpp"
#include "lacuna/core/token.hpp"

namespace lacuna {

/// m.forbidden_tokens() -> a range of tokens never to be generated (beside the mask, which never is).
template <class M>
concept has_forbidden_tokens = requires(const std::remove_cvref_t<M>& m) {
  { *m.forbidden_tokens().begin() } -> std::convertible_to<token>;
  m.forbidden_tokens().end();
};
/// m.end_token() -> the end of sequence, a token or an optional one.
template <class M>
concept has_end_token = requires(const std::remove_cvref_t<M>& m) {
  { m.end_token() } -> std::convertible_to<std::optional<token>>;
};
/// m.max_length() -> largest L the model takes.
template <class M>
concept has_max_length = requires(const std::remove_cvref_t<M>& m) {
  { m.max_length() } -> std::convertible_to<std::size_t>;
};
/// m.logits_shift() -> s: the row at position i - s scores position i, and row 0 the positions below s (s is 1 for models that
/// were causal once, such as Dream).
template <class M>
concept has_logits_shift = requires(const std::remove_cvref_t<M>& m) {
  { m.logits_shift() } -> std::convertible_to<std::size_t>;
};

/// The facts, read once and checked.
struct model_facts {
  std::size_t vocabulary = 0;
  token mask = 0;
  std::vector<token> forbidden{};  ///< ascending, contains the mask
  std::optional<token> end{};
  std::optional<std::size_t> max_length{};
  std::size_t logits_shift = 0;
};

/// Reads the facts of a model. Throws invalid_argument if they contradict each other.
template <class M>
requires has_vocabulary<M> && has_mask_token<M> model_facts facts_of(const M& m) {
  model_facts f;
  f.vocabulary = m.vocabulary_size();
  constexpr auto most = static_cast<std::size_t>(std::numeric_limits<token>::max());
  if (f.vocabulary == 0 || f.vocabulary > most)
    throw invalid_argument("model: vocabulary_size() is " + std::to_string(f.vocabulary) + ", expected 1 to " +
                           std::to_string(most));
  f.mask = m.mask_token();
  f.forbidden.push_back(f.mask);
  if constexpr (has_forbidden_tokens<M>) {
    const auto& more = m.forbidden_tokens();
    f.forbidden.insert(f.forbidden.end(), more.begin(), more.end());
  }
  if constexpr (has_end_token<M>) f.end = m.end_token();
  if constexpr (has_max_length<M>) f.max_length = m.max_length();
  if constexpr (has_logits_shift<M>) f.logits_shift = m.logits_shift();

  std::sort(f.forbidden.begin(), f.forbidden.end());
  f.forbidden.erase(std::unique(f.forbidden.begin(), f.forbidden.end()), f.forbidden.end());
  const auto inside = [&](token t) { return t >= 0 && static_cast<std::size_t>(t) < f.vocabulary; };
  const std::string range = ", expected 0 to vocabulary_size() - 1 = " + std::to_string(f.vocabulary - 1);
  if (!inside(f.mask)) throw invalid_argument("model: mask_token() is " + std::to_string(f.mask) + range);
  for (const token t : f.forbidden)
    if (!inside(t)) throw invalid_argument("model: forbidden token " + std::to_string(t) + range);
  if (f.end && !inside(*f.end)) throw invalid_argument("model: end_token() is " + std::to_string(*f.end) + range);
  if (f.end && *f.end == f.mask)
    throw invalid_argument("model: end_token() is the mask token " + std::to_string(f.mask) + ", expected another one");
  if (f.forbidden.size() == f.vocabulary)
    throw invalid_argument("model: all " + std::to_string(f.vocabulary) +
                           " tokens are forbidden, expected at least one that may be generated");
  return f;
}

}  // namespace lacuna
