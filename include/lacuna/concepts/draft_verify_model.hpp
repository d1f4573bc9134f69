/// @file
/// @brief draft_verify_model: drafts every masked position at once, then verifies the draft on the same hidden states.
///
/// ```cpp
/// struct my_model {
///   std::size_t vocabulary_size() const;
///   lacuna::token mask_token() const;
///   void draft(const lacuna::token_batch& x, std::span<const std::size_t> slots, std::span<const std::size_t> wanted,
///              lacuna::row_sink sink);
///   std::size_t verify(const lacuna::verify_batch& v, lacuna::row_sink sink);
///   double draft_share() const;   // of a full pass: the non-causal blocks, 11/12 say
///   double verify_share() const;  // the causal blocks, 1/12 say
/// };
/// static_assert(lacuna::draft_verify_model<my_model>);
/// ```
/// Source: Self-Speculative Masked Diffusions (arXiv 2510.03929), section 3.
#pragma once

#include <concepts>
#include <cstddef>
#include <span>
#include <type_traits>

#include "lacuna/concepts/masked_model.hpp"
#include "lacuna/core/batch.hpp"
#include "lacuna/core/verify_batch.hpp"

namespace lacuna {

/// m.draft(token_batch [B, L], slots [B], wanted, sink): one pass of the non-causal part. Hands out the draft logits [V] of
/// every wanted position as a selective_model does (flat positions b * L + l, ascending), and keeps under slots[b] what row b's
/// verification needs, until that slot is drafted again. Slots are small numbers, all different within a call; the model holds
/// memory for as many as it has seen. The logits are those of the position itself: logits_shift is about plain calls.
template <class M>
concept drafts = requires(M& m, const token_batch& x, std::span<const std::size_t> slots, std::span<const std::size_t> wanted,
                          row_sink sink) {
  m.draft(x, slots, wanted, sink);
};

/// m.verify(verify_batch, sink): one pass of the causal part over what the rows' slots keep. `sink(k, row)` receives the target
/// logits [V] of the k-th wanted track, counting through the rows and within a row from first[b]. Returns the rows that this
/// took, in rows of a verify pass: B for a network that verifies all tracks of a row at once, the number of wanted tracks for
/// one that takes a row for each (of any other number, each row is charged by its tracks).
template <class M>
concept verifies = requires(M& m, const verify_batch& v, row_sink sink) {
  { m.verify(v, sink) } -> std::convertible_to<std::size_t>;
};

/// m.draft_share(), m.verify_share() -> the cost of one row of either pass as a fraction of a full pass.
template <class M>
concept has_pass_shares = requires(const std::remove_cvref_t<M>& m) {
  { m.draft_share() } -> std::convertible_to<double>;
  { m.verify_share() } -> std::convertible_to<double>;
};

/// What speculative sampling and its likelihood need.
template <class M>
concept draft_verify_model = has_vocabulary<M> && has_mask_token<M> && drafts<M> && verifies<M> && has_pass_shares<M>;

}  // namespace lacuna
