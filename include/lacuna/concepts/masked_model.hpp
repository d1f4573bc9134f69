/// @file
/// @brief masked_model: all that is needed to decode.
///
/// ```cpp
/// struct my_model {
///   std::size_t vocabulary_size() const;
///   lacuna::token mask_token() const;
///   xt::xtensor<float, 3> operator()(const lacuna::token_batch& x);  // x [B, L] -> logits [B, L, V]
/// };
/// static_assert(lacuna::masked_model<my_model>);
/// ```
/// The returned tensor may own its memory or view the memory of another runtime (`xt::adapt`, lacuna::view_as_tensor). Rows
/// of known positions may hold anything. What types cannot say (deterministic, a row's logits independent of its
/// neighbours, right shape) is checked by `lacuna/testing/laws.hpp`.
#pragma once

#include <concepts>
#include <cstddef>
#include <type_traits>

#include "lacuna/core/batch.hpp"
#include "lacuna/core/tensor.hpp"
#include "lacuna/core/token.hpp"

namespace lacuna {

/// m.vocabulary_size() -> V.
template <class M>
concept has_vocabulary = requires(const std::remove_cvref_t<M>& m) {
  { m.vocabulary_size() } -> std::convertible_to<std::size_t>;
};

/// m.mask_token() -> the id that stands for "masked" in the model's input.
template <class M>
concept has_mask_token = requires(const std::remove_cvref_t<M>& m) {
  { m.mask_token() } -> std::convertible_to<token>;
};

/// A pointer to float.
template <class P>
concept float_pointer = std::same_as < std::remove_cvref_t<decltype(*std::declval<P>())>,
float > ;

/// A contiguous row-major tensor of float with `Rank` extents.
template <class T, std::size_t Rank>
concept float_tensor = row_major_tensor<std::remove_cvref_t<T>, Rank> && requires(const std::remove_cvref_t<T>& t) {
  { t.data() } -> float_pointer;
};

/// A row-major rank-3 tensor of float, [B, L, V].
template <class T>
concept logits_tensor = float_tensor<T, 3>;

/// m(token_batch [B, L]) -> logits [B, L, V] of float.
template <class M>
concept scores_batches = requires(M& m, const token_batch& x) {
  { m(x) } -> logits_tensor;
};

/// The least a model must offer; sufficient for every sampler, order policy, draw and remasking policy.
template <class M>
concept masked_model = has_vocabulary<M> && has_mask_token<M> && scores_batches<M>;

}  // namespace lacuna
