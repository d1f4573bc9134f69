/// @file
/// @brief hidden_state_model: also shows its last hidden states. For neural MI estimators and learned orders.
#pragma once

#include <concepts>
#include <cstddef>
#include <span>

#include "lacuna/concepts/masked_model.hpp"
#include "lacuna/concepts/selective_model.hpp"

namespace lacuna {

/// m.hidden_size() -> D.
template <class M>
concept has_hidden_size = requires(const std::remove_cvref_t<M>& m) {
  { m.hidden_size() } -> std::convertible_to<std::size_t>;
};

/// m.with_hidden(token_batch) -> an object with `.logits` [B, L, V] and `.hidden` [B, L, D], from one pass.
template <class M>
concept returns_hidden = requires(M& m, const token_batch& x) {
  { m.with_hidden(x).logits } -> logits_tensor;
  { m.with_hidden(x).hidden } -> float_tensor<3>;
};

/// m.with_hidden(token_batch, wanted, logits sink, hidden sink): both rows of each wanted position, from one pass.
template <class M>
concept selects_hidden = requires(M& m, const token_batch& x, std::span<const std::size_t> wanted, row_sink sink) {
  m.with_hidden(x, wanted, sink, sink);
};

/// m.with_hidden in one of the two forms; spelled out once more so that compilers name the expressions they miss.
template <class M>
concept shows_hidden = requires(M& m, const token_batch& x, std::span<const std::size_t> wanted, row_sink sink) {
  requires requires {
    { m.with_hidden(x).logits } -> logits_tensor;
    { m.with_hidden(x).hidden } -> float_tensor<3>;
  } || requires {
    m.with_hidden(x, wanted, sink, sink);
  };
};

/// Logits with the hidden states they were computed from, whole or selective.
template <class M>
concept hidden_state_model = has_vocabulary<M> && has_mask_token<M> && has_hidden_size<M> && shows_hidden<M>;

}  // namespace lacuna
