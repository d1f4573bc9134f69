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

/// A call with a ragged batch in one of the two forms; spelled out once more so that compilers name the expressions they miss.
template <class M>
concept takes_ragged_batches = requires(M& m, const ragged_batch& ragged, std::span<const std::size_t> wanted, row_sink sink) {
  requires requires {
    { m(ragged) } -> float_tensor<2>;
  } || requires {
    m(ragged, wanted, sink);
  };
};

/// One call for rows of different lengths, whole or selective.
template <class M>
concept ragged_model = has_vocabulary<M> && has_mask_token<M> && takes_ragged_batches<M>;

/// A call of any rung, spelled out likewise.
template <class M>
concept scores_somehow = requires(M& m, const token_batch& batch, const ragged_batch& ragged,
                                  std::span<const std::size_t> wanted, row_sink sink) {
  requires requires {
    { m(batch) } -> logits_tensor;
  } || requires {
    m(batch, wanted, sink);
  } || requires {
    { m(ragged) } -> float_tensor<2>;
  } || requires {
    m(ragged, wanted, sink);
  };
};

/// What the driver can decode with: any rung of the ladder.
template <class M>
concept decodable_model = has_vocabulary<M> && has_mask_token<M> && scores_somehow<M>;

}  // namespace lacuna
