/// @file
/// @brief drivable_model: whatever a sampler may run on. A plain call of any rung, or drafts and verifications, or both.
#pragma once

#include <concepts>
#include <cstddef>
#include <span>

#include "lacuna/concepts/draft_verify_model.hpp"
#include "lacuna/concepts/masked_model.hpp"
#include "lacuna/concepts/ragged_model.hpp"
#include "lacuna/core/batch.hpp"
#include "lacuna/core/verify_batch.hpp"

namespace lacuna {

/// A call of any kind, spelled out so that compilers name the expressions they miss.
template <class M>
concept scores_or_verifies = requires(M& m, const token_batch& batch, const ragged_batch& ragged, const verify_batch& tracks,
                                      std::span<const std::size_t> wanted, std::span<const std::size_t> slots, row_sink sink) {
  requires requires {
    { m(batch) } -> logits_tensor;
  } || requires {
    m(batch, wanted, sink);
  } || requires {
    { m(ragged) } -> float_tensor<2>;
  } || requires {
    m(ragged, wanted, sink);
  } || requires {
    m.draft(batch, slots, wanted, sink);
    { m.verify(tracks, sink) } -> std::convertible_to<std::size_t>;
  };
};

/// Which of the calls a sampler needs is for `sampler_for` to say.
template <class M>
concept drivable_model = has_vocabulary<M> && has_mask_token<M> && scores_or_verifies<M>;

}  // namespace lacuna
