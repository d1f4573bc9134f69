/// @file
/// @brief Eigen's packets under short names, and loops that put a function over a row of floats.
///
/// The fast paths of nn/ are written with explicit packets, so that the arithmetic of an element depends on its place in its
/// own row only: the same instructions whatever the batch, the split between threads or the compiler's mood. A packet is 16
/// floats with AVX-512, 8 with AVX, 4 with SSE or NEON, and Eigen supplies it. Lengths that do not fill the last packet are
/// staged through a small array, so tails go through the same functions.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

// g++ 12 takes _mm512_undefined_ps for a mistake wherever AVX-512 intrinsics are inlined.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <Eigen/Core>
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif

namespace lacuna::nn::simd {

using packet = Eigen::internal::packet_traits<float>::type;
/// Floats in a packet.
inline constexpr std::size_t width = Eigen::internal::packet_traits<float>::size;

inline packet load(const float* p) { return Eigen::internal::ploadu<packet>(p); }
inline void store(float* p, const packet& x) { Eigen::internal::pstoreu<float, packet>(p, x); }
inline packet fill(float x) { return Eigen::internal::pset1<packet>(x); }
inline packet add(const packet& a, const packet& b) { return Eigen::internal::padd(a, b); }
inline packet subtract(const packet& a, const packet& b) { return Eigen::internal::psub(a, b); }
inline packet multiply(const packet& a, const packet& b) { return Eigen::internal::pmul(a, b); }
inline packet divide(const packet& a, const packet& b) { return Eigen::internal::pdiv(a, b); }
/// a b + c, fused where the machine can.
inline packet multiply_add(const packet& a, const packet& b, const packet& c) { return Eigen::internal::pmadd(a, b, c); }
inline packet larger(const packet& a, const packet& b) { return Eigen::internal::pmax(a, b); }
inline packet exponential(const packet& a) { return Eigen::internal::pexp(a); }
/// 1 / (1 + exp(-a)).
inline packet logistic(const packet& a) {
  return divide(fill(1.0F), add(fill(1.0F), exponential(Eigen::internal::pnegate(a))));
}
inline float sum(const packet& a) { return Eigen::internal::predux(a); }
inline float largest(const packet& a) { return Eigen::internal::predux_max(a); }

/// Writes the transpose of the width x width floats at `in` (rows `in_stride` apart) to `out`.
inline void transpose_square(const float* in, std::size_t in_stride, float* out, std::size_t out_stride) {
  if constexpr (width == 1) {
    *out = *in;
  } else {
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wignored-attributes"  // the alignment of a packet as a template argument
#endif
    Eigen::internal::PacketBlock<packet, static_cast<int>(width)> block;
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif
    for (std::size_t i = 0; i < width; ++i) block.packet[i] = load(in + i * in_stride);
    Eigen::internal::ptranspose(block);
    for (std::size_t i = 0; i < width; ++i) store(out + i * out_stride, block.packet[i]);
  }
}

/// The first `count < width` floats of p, the rest `rest`.
inline packet load_part(const float* p, std::size_t count, float rest = 0.0F) {
  alignas(64) std::array<float, width> staged;
  staged.fill(rest);
  std::copy_n(p, count, staged.data());
  return load(staged.data());
}
inline void store_part(float* p, std::size_t count, const packet& x) {
  alignas(64) std::array<float, width> staged;
  store(staged.data(), x);
  std::copy_n(staged.data(), count, p);
}

/// out[i] = f(in[i]...) for i < n, packet by packet; `in` are pointers to n floats each, and may equal `out`.
template <class F, class... In>
void map(std::size_t n, float* out, const F& f, const In*... in) {
  std::size_t i = 0;
  for (; i + width <= n; i += width) store(out + i, f(load(in + i)...));
  if (i < n) store_part(out + i, n - i, f(load_part(in + i, n - i)...));
}

/// Sum over i < n of f(in[i]...), in a fixed order; f must give 0 for inputs of 0.
template <class F, class... In>
float sum_of(std::size_t n, const F& f, const In*... in) {
  packet total = fill(0.0F);
  std::size_t i = 0;
  for (; i + width <= n; i += width) total = add(total, f(load(in + i)...));
  if (i < n) total = add(total, f(load_part(in + i, n - i)...));
  return sum(total);
}

}  // namespace lacuna::nn::simd
