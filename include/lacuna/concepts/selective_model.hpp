/// @file
/// @brief selective_model: computes only the rows that are wanted. For large vocabularies.
#pragma once

#include <cstddef>
#include <span>

#include "lacuna/concepts/masked_model.hpp"

namespace lacuna {

/// m(token_batch [B, L], wanted, sink): runs the network once and hands `sink(k, row)` the logits [V] of the k-th wanted
/// position, for every k once, in any order, in tiles as small as the model likes. `wanted` holds flat positions b * L + l,
/// ascending (a position may repeat for models whose logits are shifted). Nothing of size B * L * V need ever exist.
template <class M>
concept selective_model = has_vocabulary<M> && has_mask_token<M> &&
    requires(M& m, const token_batch& x, std::span<const std::size_t> wanted, row_sink sink) {
  m(x, wanted, sink);
};

}  // namespace lacuna
