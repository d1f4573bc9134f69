/// @file
/// @brief ragged_model: takes rows of different lengths in one call. Other models are fed groups of equal length.
#pragma once

#include <cstddef>
#include <span>

#include "lacuna/concepts/masked_model.hpp"
#include "lacuna/concepts/selective_model.hpp"

namespace lacuna {

/// m(ragged_batch) -> logits [N, V] of float, N = total number of tokens.
template <class M>
concept scores_ragged_batches = requires(M& m, const ragged_batch& x) {
  { m(x) } -> float_tensor<2>;
};

/// m(ragged_batch, wanted, sink) as for selective_model, `wanted` holding indices into `x.tokens`.
template <class M>
concept selects_from_ragged_batches = requires(M& m, const ragged_batch& x, std::span<const std::size_t> wanted,
                                               row_sink sink) {
  m(x, wanted, sink);
};

/// One call for rows of different lengths, whole or selective.
template <class M>
concept ragged_model = has_vocabulary<M> && has_mask_token<M> &&(scores_ragged_batches<M> || selects_from_ragged_batches<M>);

/// What the driver can decode with: any rung of the ladder.
template <class M>
concept decodable_model = masked_model<M> || selective_model<M> || ragged_model<M>;

}  // namespace lacuna
