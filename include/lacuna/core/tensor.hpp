/// @file
/// @brief The tensor types of the library, and the only place that names xtensor's core headers.
///
/// Everything is row-major and contiguous. Shape letters used throughout: B rows, L length, V vocabulary, D width, H heads.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>

// xtensor moved its headers into folders after 0.24.
#if __has_include(<xtensor/containers/xtensor.hpp>)
#include <xtensor/containers/xadapt.hpp>
#include <xtensor/containers/xtensor.hpp>
#else
#include <xtensor/xadapt.hpp>
#include <xtensor/xtensor.hpp>
#endif

namespace lacuna {

/// An owning tensor of fixed rank.
template <class T, std::size_t Rank>
using tensor = xt::xtensor<T, Rank, xt::layout_type::row_major>;

/// A non-owning view of contiguous memory as a tensor of fixed rank; constructing one allocates nothing.
template <class T, std::size_t Rank>
using tensor_view = decltype(xt::adapt(std::declval<T*>(), std::size_t{}, xt::no_ownership(),
                                       std::declval<const std::array<std::size_t, Rank>&>()));

/// Views `data` as a row-major tensor of the given shape.
template <class T, std::size_t Rank>
tensor_view<T, Rank> view_as_tensor(T* data, const std::array<std::size_t, Rank>& shape) {
  std::size_t size = 1;
  for (const std::size_t extent : shape) size *= extent;
  return xt::adapt(std::move(data), size, xt::no_ownership(), shape);
}

/// Contiguous row-major storage of floating-point numbers with a shape of `Rank` extents: an xt::xtensor, an xt::adapt over
/// the memory of another runtime, or a class of one's own with `data()`, `shape()` and `static_layout`.
template <class T, std::size_t Rank>
concept row_major_tensor = requires(const T& t) {
  requires std::floating_point<std::remove_cvref_t<decltype(*t.data())>>;
  { t.shape()[Rank - 1] } -> std::convertible_to<std::size_t>;
  { t.shape().size() } -> std::convertible_to<std::size_t>;
  requires T::static_layout == xt::layout_type::row_major;
};

}  // namespace lacuna
