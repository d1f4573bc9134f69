/// @file
/// @brief C [m, n] = start + A [m, k] B [k, n] in float, where an element of C does not depend on m, n or its place in C.
///
/// Each element is one chain of fused multiply-adds over k in ascending order, beginning at its start value. Blocking, the
/// kernel that handles a remainder, and the split of m between threads therefore never change a bit of the result: this is what
/// makes a row of a batch independent of its neighbours. (Eigen's product sums remainder columns in another order, packs both
/// sides, and reaches less of the peak at these shapes: see benchmarks/nn.cpp. It stays the yardstick there.)
///
/// B is packed block by block into a small array on the stack, A is read in place; nothing is allocated. With EIGEN_USE_BLAS
/// defined the product goes to the BLAS instead, and the guarantee above is gone.
///
/// All matrices are row-major with a leading dimension (floats from one row to the next). Cost 2 m n k operations.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include "lacuna/nn/simd.hpp"

namespace lacuna::nn {

/// A matrix that is only read: rows `stride` floats apart.
struct const_matrix {
  const float* data;
  std::size_t stride;
};

/// A matrix to write to.
struct matrix {
  float* data;
  std::size_t stride;
  operator const_matrix() const { return {data, stride}; }  // NOLINT(google-explicit-constructor)
};

/// What a product is added to: nothing, a bias [n] for every row, a matrix [m, n] (which may be C itself), or both.
struct product_start {
  const_matrix rows{nullptr, 0};
  const float* bias = nullptr;
};

/// What happens behind the n-th column of C: nothing; or C has room for whole packets, and gets zeros there (this is faster,
/// and only for a product without a start).
enum class tail { exact, padded };

/// Whether an operand is given as it stands in the formula or transposed.
enum class operand { plain, transposed };

namespace matmul_detail {

inline constexpr std::size_t panel_packets = simd::width == 16 ? 4 : 2;
inline constexpr std::size_t panel_width = panel_packets * simd::width;
inline constexpr std::size_t block_depth = 128;
/// Rows of C a kernel holds in registers beside `Packets` packets of a row.
template <std::size_t Packets>
inline constexpr std::size_t tile_rows = Packets == 4 ? 6 : (Packets == 2 && simd::width != 16 ? 6 : 12);

inline constexpr std::array<float, 64> zeros{};

/// One tile of C, [Rows, Packets * width]. `a_row` is the distance in A from one row of C to the next, `a_depth` from one k to
/// the next; one of them is 1.
template <std::size_t Rows, std::size_t Packets, operand A>
inline void tile(std::size_t depth, const float* a, std::size_t a_stride, const float* b, std::size_t b_stride,
                 const float* rows, std::size_t rows_stride, const float* bias, float* c, std::size_t c_stride) {
  using simd::packet;
  packet sums[Rows][Packets];
#pragma GCC unroll 16
  for (std::size_t r = 0; r < Rows; ++r)
#pragma GCC unroll 4
    for (std::size_t p = 0; p < Packets; ++p)
      sums[r][p] = simd::add(simd::load(rows + r * rows_stride + p * simd::width), simd::load(bias + p * simd::width));
  for (std::size_t k = 0; k < depth; ++k) {
    packet right[Packets];
#pragma GCC unroll 4
    for (std::size_t p = 0; p < Packets; ++p) right[p] = simd::load(b + p * simd::width);
#pragma GCC unroll 16
    for (std::size_t r = 0; r < Rows; ++r) {
      const packet left = simd::fill(A == operand::plain ? a[r * a_stride] : a[r]);
#pragma GCC unroll 4
      for (std::size_t p = 0; p < Packets; ++p) sums[r][p] = simd::multiply_add(left, right[p], sums[r][p]);
    }
    b += b_stride;
    a += A == operand::plain ? 1 : a_stride;
  }
#pragma GCC unroll 16
  for (std::size_t r = 0; r < Rows; ++r)
#pragma GCC unroll 4
    for (std::size_t p = 0; p < Packets; ++p) simd::store(c + r * c_stride + p * simd::width, sums[r][p]);
}

/// Copies B[k0 .. k0 + depth, j0 .. j0 + columns) to [depth, Packets * width], zeros behind the last column.
template <std::size_t Packets>
void pack_plain(const float* b, std::size_t stride, std::size_t depth, std::size_t columns, float* out) {
  constexpr std::size_t wide = Packets * simd::width;
  if (columns == wide) {
    for (std::size_t k = 0; k < depth; ++k)
      for (std::size_t p = 0; p < Packets; ++p)
        simd::store(out + k * wide + p * simd::width, simd::load(b + k * stride + p * simd::width));
    return;
  }
  for (std::size_t k = 0; k < depth; ++k) {
    std::copy_n(b + k * stride, columns, out + k * wide);
    std::fill_n(out + k * wide + columns, wide - columns, 0.0F);
  }
}

/// The same from B given as its transpose [n, k].
template <std::size_t Packets>
void pack_transposed(const float* b, std::size_t stride, std::size_t depth, std::size_t columns, float* out) {
  constexpr std::size_t wide = Packets * simd::width;
  for (std::size_t p = 0; p < Packets; ++p) {
    const std::size_t j0 = p * simd::width;
    std::size_t k = 0;
    if (j0 + simd::width <= columns)
      for (; k + simd::width <= depth; k += simd::width)
        simd::transpose_square(b + j0 * stride + k, stride, out + k * wide + j0, wide);
    for (; k < depth; ++k)
      for (std::size_t j = 0; j < simd::width; ++j) out[k * wide + j0 + j] = j0 + j < columns ? b[(j0 + j) * stride + k] : 0.0F;
  }
}

template <std::size_t Rows, std::size_t Packets, operand A, tail Tail>
void rows_of_tiles(std::size_t& i, std::size_t m, std::size_t columns, std::size_t depth, const float* a, std::size_t a_stride,
                   const float* b, std::size_t b_stride, const_matrix rows, const float* bias, matrix c) {
  constexpr std::size_t wide = Packets * simd::width;
  for (; i + Rows <= m; i += Rows) {
    const float* left = a + (A == operand::plain ? i * a_stride : i);
    if (Tail == tail::padded || columns == wide) {
      tile<Rows, Packets, A>(depth, left, a_stride, b, b_stride, rows.data + i * rows.stride, rows.stride, bias,
                             c.data + i * c.stride, c.stride);
    } else {
      alignas(64) float staged[Rows * wide] = {};
      if (rows.stride != 0)
        for (std::size_t r = 0; r < Rows; ++r) std::copy_n(rows.data + (i + r) * rows.stride, columns, staged + r * wide);
      tile<Rows, Packets, A>(depth, left, a_stride, b, b_stride, staged, wide, bias, staged, wide);
      for (std::size_t r = 0; r < Rows; ++r) std::copy_n(staged + r * wide, columns, c.data + (i + r) * c.stride);
    }
  }
}

/// The columns [j0, j0 + columns) of C, columns <= Packets * width.
template <std::size_t Packets, operand A, operand B, tail Tail>
void panel(std::size_t m, std::size_t j0, std::size_t columns, std::size_t k, const_matrix a, const_matrix b, matrix c,
           product_start start) {
  constexpr std::size_t wide = Packets * simd::width;
  alignas(64) float packed[block_depth * wide];
  alignas(64) float bias[wide] = {};
  if (start.bias != nullptr) std::copy_n(start.bias + j0, columns, bias);
  const matrix target{c.data + j0, c.stride};
  for (std::size_t k0 = 0; k0 < k || k0 == 0; k0 += block_depth) {
    const std::size_t depth = std::min(block_depth, k - k0);
    if (depth > 0) {  // a product over nothing may come without a matrix
      if constexpr (B == operand::plain)
        pack_plain<Packets>(b.data + k0 * b.stride + j0, b.stride, depth, columns, packed);
      else
        pack_transposed<Packets>(b.data + j0 * b.stride + k0, b.stride, depth, columns, packed);
    }
    const_matrix rows{zeros.data(), 0};
    if (k0 != 0)
      rows = target;
    else if (start.rows.data != nullptr)
      rows = {start.rows.data + j0, start.rows.stride};
    const float* shift = k0 == 0 ? bias : zeros.data();
    const float* left = a.data + (A == operand::plain ? k0 : k0 * a.stride);
    std::size_t i = 0;
    rows_of_tiles<tile_rows<Packets>, Packets, A, Tail>(i, m, columns, depth, left, a.stride, packed, wide, rows, shift,
                                                        target);
    rows_of_tiles<4, Packets, A, Tail>(i, m, columns, depth, left, a.stride, packed, wide, rows, shift, target);
    rows_of_tiles<2, Packets, A, Tail>(i, m, columns, depth, left, a.stride, packed, wide, rows, shift, target);
    rows_of_tiles<1, Packets, A, Tail>(i, m, columns, depth, left, a.stride, packed, wide, rows, shift, target);
  }
}

#ifdef EIGEN_USE_BLAS
using row_major = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
inline auto as_eigen(const_matrix x, std::size_t rows, std::size_t columns) {
  return Eigen::Map<const row_major, 0, Eigen::OuterStride<>>{x.data, static_cast<Eigen::Index>(rows),
                                                              static_cast<Eigen::Index>(columns),
                                                              Eigen::OuterStride<>{static_cast<Eigen::Index>(x.stride)}};
}

/// The same product by Eigen, and so by the BLAS it was told to use.
template <operand A, operand B, tail Tail>
void by_eigen(std::size_t m, std::size_t n, std::size_t k, const_matrix a, const_matrix b, matrix c, product_start start) {
  for (std::size_t i = 0; i < m; ++i) {
    float* row = c.data + i * c.stride;
    const float* from = start.rows.data == nullptr ? nullptr : start.rows.data + i * start.rows.stride;
    for (std::size_t j = 0; j < n; ++j)
      row[j] = (from == nullptr ? 0.0F : from[j]) + (start.bias == nullptr ? 0.0F : start.bias[j]);
    if constexpr (Tail == tail::padded) std::fill(row + n, row + simd::padded(n), 0.0F);
  }
  if (m == 0 || n == 0 || k == 0) return;
  Eigen::Map<row_major, 0, Eigen::OuterStride<>> out{c.data, static_cast<Eigen::Index>(m), static_cast<Eigen::Index>(n),
                                                     Eigen::OuterStride<>{static_cast<Eigen::Index>(c.stride)}};
  if constexpr (A == operand::plain && B == operand::plain)
    out.noalias() += as_eigen(a, m, k) * as_eigen(b, k, n);
  else if constexpr (A == operand::plain)
    out.noalias() += as_eigen(a, m, k) * as_eigen(b, n, k).transpose();
  else if constexpr (B == operand::plain)
    out.noalias() += as_eigen(a, k, m).transpose() * as_eigen(b, k, n);
  else
    out.noalias() += as_eigen(a, k, m).transpose() * as_eigen(b, n, k).transpose();
}
#endif

}  // namespace matmul_detail

/// Writes the transpose of `in` [rows, columns] to `out` [columns, rows], both without gaps.
inline void transpose(std::size_t rows, std::size_t columns, const float* in, float* out) {
  for (std::size_t r0 = 0; r0 < rows; r0 += simd::width)
    for (std::size_t c0 = 0; c0 < columns; c0 += simd::width) {
      if (r0 + simd::width <= rows && c0 + simd::width <= columns) {
        simd::transpose_square(in + r0 * columns + c0, columns, out + c0 * rows + r0, rows);
        continue;
      }
      for (std::size_t r = r0; r < std::min(r0 + simd::width, rows); ++r)
        for (std::size_t c = c0; c < std::min(c0 + simd::width, columns); ++c) out[c * rows + r] = in[r * columns + c];
    }
}

/// C [m, n] = start + A B with A [m, k] (or given as its transpose [k, m]) and B [k, n] (or [n, k]).
template <operand A = operand::plain, operand B = operand::plain, tail Tail = tail::exact>
void product(std::size_t m, std::size_t n, std::size_t k, const_matrix a, const_matrix b, matrix c, product_start start = {}) {
#ifdef EIGEN_USE_BLAS
  matmul_detail::by_eigen<A, B, Tail>(m, n, k, a, b, c, start);
#else
  namespace detail = matmul_detail;
  const std::size_t end = Tail == tail::padded ? simd::padded(n) : n;
  std::size_t j = 0;
  for (; j + detail::panel_width <= end; j += detail::panel_width)
    detail::panel<detail::panel_packets, A, B, Tail>(m, j, std::min(detail::panel_width, n - j), k, a, b, c, start);
  if constexpr (detail::panel_packets > 2)
    for (; j + 2 * simd::width <= end; j += 2 * simd::width)
      detail::panel<2, A, B, Tail>(m, j, std::min(2 * simd::width, n - j), k, a, b, c, start);
  for (; j < end; j += simd::width) detail::panel<1, A, B, Tail>(m, j, std::min(simd::width, n - j), k, a, b, c, start);
#endif
}

}  // namespace lacuna::nn
