/// @file
/// @brief The product of nn/matmul.hpp with bfloat16 factors and float sums, on the matrix units (AMX) of newer x86 processors.
///
/// For training, where the noise of a batch is far above that of the roundings: the factors keep 8 bits, sums are exact to
/// float. Chosen by building with LACUNA_NN_BF16 (Meson: -Dbf16=true) for a processor that has AMX; every linear layer then
/// goes this way, attention and everything else stays in float. An element of C is one chain of sums over k in ascending pairs,
/// so rows stay independent of their neighbours. Some 3 times the rate of the float product where k and n are 96 or more.
///
/// Both factors are converted to tiles of 16 rows of 64 bytes in a buffer of the thread that grows to the largest product and
/// stays. Throws std::runtime_error at the first product if the system does not grant the use of the units.
#pragma once

#if defined(__AMX_BF16__) && defined(__AVX512BF16__) && defined(__linux__)

#include <immintrin.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <stdexcept>

#include "lacuna/nn/simd.hpp"

namespace lacuna::nn::bf16 {

static_assert(simd::width == 16);

inline constexpr std::size_t tile_side = 16;       ///< rows of a tile, and columns of a tile of sums
inline constexpr std::size_t tile_depth = 32;      ///< bfloat16 numbers in a row of a tile
inline constexpr std::size_t tile_size = 16 * 32;  ///< bfloat16 numbers
using number = std::uint16_t;

/// Asks Linux once for the use of the units.
inline void request_units() {
  static const bool granted = [] {
    constexpr long request_permission = 0x1023, tile_data = 18;  // ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA
    return syscall(SYS_arch_prctl, request_permission, tile_data) == 0;
  }();
  if (!granted) throw std::runtime_error("the system does not grant the use of the matrix units: build without -Dbf16=true");
}

/// All eight tiles 16 rows of 64 bytes.
struct alignas(64) tile_configuration {
  std::uint8_t palette = 1, start_row = 0, reserved[14] = {};
  std::uint16_t bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
  std::uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
};

/// Tiles of the calling thread: [count, 16, 32] in cache lines.
class tile_buffer {
 public:
  number* reserve(std::size_t tiles) {
    if (tiles > tiles_) {
      memory_.reset(static_cast<number*>(::operator new (tiles* tile_size * sizeof(number), std::align_val_t{64})));
      tiles_ = tiles;
    }
    return memory_.get();
  }

 private:
  struct release {
    void operator()(number* p) const { ::operator delete (p, std::align_val_t{64}); }
  };
  std::unique_ptr<number, release> memory_;
  std::size_t tiles_ = 0;
};

inline __mmask16 first(std::size_t count) { return static_cast<__mmask16>(count >= 16 ? 0xFFFFU : (1U << count) - 1U); }
inline __m512 load(const float* p, std::size_t count) { return _mm512_maskz_loadu_ps(first(count), p); }
/// low's 16 numbers, then high's.
inline __m512i rounded(__m512 high, __m512 low) { return (__m512i)_mm512_cvtne2ps_pbh(high, low); }

/// A [m, k] as tiles [m / 16, k / 32], zeros where it has no more rows or columns.
inline void pack_left(std::size_t m, std::size_t k, const float* a, std::size_t stride, number* out) {
  for (std::size_t i = 0; i < m; i += tile_side)
    for (std::size_t k0 = 0; k0 < k; k0 += tile_depth)
      for (std::size_t r = 0; r < tile_side; ++r, out += tile_depth) {
        if (i + r >= m) {
          std::fill_n(out, tile_depth, number{0});
          continue;
        }
        const float* p = a + (i + r) * stride + k0;
        const std::size_t left = k - k0;
        const __m512 low = load(p, left);
        const __m512 high = left > 16 ? load(p + 16, left - 16) : _mm512_setzero_ps();
        _mm512_store_si512(out, rounded(high, low));
      }
}

/// The same from A given as its transpose [k, m].
inline void pack_left_transposed(std::size_t m, std::size_t k, const float* a, std::size_t stride, number* out) {
  alignas(64) float square[2][16 * 16], gathered[16 * 16];
  for (std::size_t i = 0; i < m; i += tile_side)
    for (std::size_t k0 = 0; k0 < k; k0 += tile_depth, out += tile_size) {
      const std::size_t wide = std::min(tile_side, m - i);
      for (std::size_t half = 0; half < 2; ++half) {
        const std::size_t begin = k0 + 16 * half;
        const std::size_t deep = begin < k ? std::min<std::size_t>(16, k - begin) : 0;
        const float* p = a + begin * stride + i;
        if (deep == 16 && wide == 16) {
          simd::transpose_square(p, stride, square[half], 16);
          continue;
        }
        for (std::size_t r = 0; r < 16; ++r)
          _mm512_store_ps(gathered + 16 * r, r < deep ? load(p + r * stride, wide) : _mm512_setzero_ps());
        simd::transpose_square(gathered, 16, square[half], 16);
      }
      for (std::size_t r = 0; r < tile_side; ++r)
        _mm512_store_si512(out + r * tile_depth,
                           rounded(_mm512_load_ps(square[1] + 16 * r), _mm512_load_ps(square[0] + 16 * r)));
    }
}

/// B [k, n] as tiles [n / 16, k / 32]; a row of a tile holds the pairs of two rows of B.
inline void pack_right(std::size_t k, std::size_t n, const float* b, std::size_t stride, number* out) {
  alignas(64) static constexpr number interleave[32] = {0, 16, 1, 17, 2,  18, 3,  19, 4,  20, 5,  21, 6,  22, 7,  23,
                                                        8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31};
  const __m512i order = _mm512_load_si512(interleave);
  for (std::size_t j = 0; j < n; j += tile_side)
    for (std::size_t k0 = 0; k0 < k; k0 += tile_depth)
      for (std::size_t r = 0; r < tile_side; ++r, out += tile_depth) {
        const std::size_t row = k0 + 2 * r;
        const float* p = b + row * stride + j;
        const __m512 even = row < k ? load(p, n - j) : _mm512_setzero_ps();
        const __m512 odd = row + 1 < k ? load(p + stride, n - j) : _mm512_setzero_ps();
        _mm512_store_si512(out, _mm512_permutexvar_epi16(order, rounded(odd, even)));
      }
}

/// C [m, n] = rows + bias + A B for A packed by a `pack_left` and B by `pack_right`; `rows` (which may be C) and `bias` may be
/// null.
inline void multiply(std::size_t m, std::size_t n, std::size_t k, const number* a, const number* b, const float* rows,
                     std::size_t rows_stride, const float* bias, float* c, std::size_t c_stride) {
  const std::size_t deep = (k + tile_depth - 1) / tile_depth;
  const tile_configuration configuration;
  _tile_loadconfig(&configuration);
  alignas(64) float sums[4][tile_side * tile_side];
  alignas(64) static constexpr float nothing[tile_side] = {};
  const auto finish = [&](std::size_t i, std::size_t j, const float* sum) {
    if (i >= m || j >= n) return;
    const __mmask16 mask = first(n - j);
    const __m512 shift = bias == nullptr ? _mm512_setzero_ps() : _mm512_maskz_loadu_ps(mask, bias + j);
    for (std::size_t r = 0; r < std::min(tile_side, m - i); ++r) {
      __m512 value = _mm512_add_ps(_mm512_load_ps(sum + tile_side * r), shift);
      if (rows != nullptr) value = _mm512_add_ps(value, _mm512_maskz_loadu_ps(mask, rows + (i + r) * rows_stride + j));
      _mm512_mask_storeu_ps(c + (i + r) * c_stride + j, mask, value);
    }
  };
  // What the sums begin with where nothing is added behind: the rows, or the bias in every row (a stride of 0).
  const float* start = rows != nullptr ? rows : bias != nullptr ? bias : nothing;
  const std::size_t down = rows != nullptr ? rows_stride : 0, right = start == nothing ? 0 : 1;
  const auto bytes = [](std::size_t floats) { return static_cast<long>(floats * sizeof(float)); };
  // Blocks of 2 x 2 tiles of sums; a block at the edge computes its first tile twice rather than one that is not there.
  for (std::size_t i = 0; i < m; i += 2 * tile_side) {
    const number* a0 = a + i / tile_side * deep * tile_size;
    const number* a1 = i + tile_side < m ? a0 + deep * tile_size : a0;
    for (std::size_t j = 0; j < n; j += 2 * tile_side) {
      const number* b0 = b + j / tile_side * deep * tile_size;
      const number* b1 = j + tile_side < n ? b0 + deep * tile_size : b0;
      const bool staged = i + 2 * tile_side > m || j + 2 * tile_side > n || (rows != nullptr && bias != nullptr);
      if (staged) {
        _tile_zero(0);
        _tile_zero(1);
        _tile_zero(2);
        _tile_zero(3);
      } else {
        const float* p = start + i * down + j * right;
        _tile_loadd(0, p, bytes(down));
        _tile_loadd(1, p + tile_side * right, bytes(down));
        _tile_loadd(2, p + tile_side * down, bytes(down));
        _tile_loadd(3, p + tile_side * down + tile_side * right, bytes(down));
      }
      for (std::size_t t = 0; t < deep * tile_size; t += tile_size) {
        _tile_loadd(4, a0 + t, 64);
        _tile_loadd(6, b0 + t, 64);
        _tile_dpbf16ps(0, 4, 6);
        _tile_loadd(7, b1 + t, 64);
        _tile_dpbf16ps(1, 4, 7);
        _tile_loadd(5, a1 + t, 64);
        _tile_dpbf16ps(2, 5, 6);
        _tile_dpbf16ps(3, 5, 7);
      }
      if (staged) {
        _tile_stored(0, sums[0], 64);
        _tile_stored(1, sums[1], 64);
        _tile_stored(2, sums[2], 64);
        _tile_stored(3, sums[3], 64);
        finish(i, j, sums[0]);
        finish(i, j + tile_side, sums[1]);
        finish(i + tile_side, j, sums[2]);
        finish(i + tile_side, j + tile_side, sums[3]);
      } else {
        float* p = c + i * c_stride + j;
        _tile_stored(0, p, bytes(c_stride));
        _tile_stored(1, p + tile_side, bytes(c_stride));
        _tile_stored(2, p + tile_side * c_stride, bytes(c_stride));
        _tile_stored(3, p + tile_side * c_stride + tile_side, bytes(c_stride));
      }
    }
  }
  _tile_release();
}

/// C [m, n] = rows + bias + A B with A [m, k] (or given as its transpose [k, m]) and B [k, n].
template <bool TransposedLeft>
void product(std::size_t m, std::size_t n, std::size_t k, const float* a, std::size_t a_stride, const float* b,
             std::size_t b_stride, const float* rows, std::size_t rows_stride, const float* bias, float* c,
             std::size_t c_stride) {
  request_units();
  thread_local tile_buffer buffer;
  const auto tiles = [](std::size_t x, std::size_t side) { return (x + side - 1) / side; };
  const std::size_t deep = tiles(k, tile_depth);
  number* left = buffer.reserve((tiles(m, tile_side) + tiles(n, tile_side)) * deep);
  number* right = left + tiles(m, tile_side) * deep * tile_size;
  if constexpr (TransposedLeft)
    pack_left_transposed(m, k, a, a_stride, left);
  else
    pack_left(m, k, a, a_stride, left);
  pack_right(k, n, b, b_stride, right);
  multiply(m, n, k, left, right, rows, rows_stride, bias, c, c_stride);
}

}  // namespace lacuna::nn::bf16

#elif defined(LACUNA_NN_BF16)
#error \
    "LACUNA_NN_BF16 needs Linux and a processor with AMX that is compiled for: -march=native on one; or build without -Dbf16=true"
#endif
