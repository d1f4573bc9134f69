/// @file
/// @brief What a model is called with: token batches, and the sink that takes the rows it was asked for.
#pragma once

#include <cassert>
#include <concepts>
#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>

#include "lacuna/core/tensor.hpp"
#include "lacuna/core/token.hpp"

namespace lacuna {

/// B rows of L tokens, [B, L], read only and not owned. `x(b, l)`, `x.shape(0)`, `x.shape(1)`, `x.data()`.
using token_batch = tensor_view<const token, 2>;

/// Rows of different lengths in one call. Row b is `tokens[offsets[b] .. offsets[b + 1])`; `offsets` has B + 1 entries,
/// starts at 0 and ends at `tokens.size()`.
struct ragged_batch {
  std::span<const token> tokens;
  std::span<const std::size_t> offsets;

  /// B.
  [[nodiscard]] std::size_t rows() const { return offsets.size() - 1; }
  /// L of row b.
  [[nodiscard]] std::size_t length(std::size_t b) const { return offsets[b + 1] - offsets[b]; }
  [[nodiscard]] std::span<const token> row(std::size_t b) const { return tokens.subspan(offsets[b], length(b)); }
};

/// Takes the rows of a scored batch one at a time: `sink(k, row)` hands over the row of the k-th wanted position. A reference
/// to a callable that outlives the call; two pointers, no allocation. Rows may come in any order, each exactly once.
class row_sink {
 public:
  template <class F>
  requires(!std::same_as<std::remove_cvref_t<F>, row_sink> && std::is_object_v<std::remove_reference_t<F>> &&
           std::invocable<F&, std::size_t, std::span<const float>>)
      row_sink(F&& f)  // NOLINT(google-explicit-constructor): a lambda at the call site is the point
      : object_{const_cast<void*>(static_cast<const void*>(std::addressof(f)))},
        call_{[](void* object, std::size_t k, std::span<const float> row) {
          (*static_cast<std::remove_reference_t<F>*>(object))(k, row);
        }} {}

  void operator()(std::size_t k, std::span<const float> row) const { call_(object_, k, row); }

 private:
  void* object_;
  void (*call_)(void*, std::size_t, std::span<const float>);
};

}  // namespace lacuna
