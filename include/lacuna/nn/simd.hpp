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

/// n rounded up to whole packets.
inline constexpr std::size_t padded(std::size_t n) { return (n + width - 1) / width * width; }

/// `count` times `first`, then `width - count` times `rest`, for a mask on the last packet of a row.
inline packet first_entries(std::size_t count, float first, float rest) {
  alignas(64) std::array<float, width> staged;
  for (std::size_t i = 0; i < width; ++i) staged[i] = i < count ? first : rest;
  return Eigen::internal::ploadu<packet>(staged.data());
}

inline packet load(const float* p) { return Eigen::internal::ploadu<packet>(p); }
inline void store(float* p, const packet& x) { Eigen::internal::pstoreu<float, packet>(p, x); }
inline packet fill(float x) { return Eigen::internal::pset1<packet>(x); }
inline packet add(const packet& a, const packet& b) { return Eigen::internal::padd(a, b); }
inline packet subtract(const packet& a, const packet& b) { return Eigen::internal::psub(a, b); }
inline packet multiply(const packet& a, const packet& b) { return Eigen::internal::pmul(a, b); }
inline packet divide(const packet& a, const packet& b) { return Eigen::internal::pdiv(a, b); }
/// a b + c, fused where the machine can.
inline packet multiply_add(const packet& a, const packet& b, const packet& c) { return Eigen::internal::pmadd(a, b, c); }
inline packet magnitude(const packet& a) { return Eigen::internal::pabs(a); }
/// Element by element, `negative` where a < 0 and `other` elsewhere.
inline packet where_negative(const packet& a, const packet& negative, const packet& other) {
  return Eigen::internal::pselect(Eigen::internal::pcmp_lt(a, fill(0.0F)), negative, other);
}
inline packet larger(const packet& a, const packet& b) { return Eigen::internal::pmax(a, b); }
inline packet smaller(const packet& a, const packet& b) { return Eigen::internal::pmin(a, b); }

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wignored-attributes"  // the alignment of a packet as a template argument
#endif
/// e^a for a clamped to [-87, 87]: 2^n e^r with |r| <= ln 2 / 2 and the polynomial of Cephes' expf; relative error below 2e-7.
/// (Eigen's pexp takes twice the time: it scales in several steps to reach the subnormal numbers.)
inline packet exponential(const packet& a) {
  if constexpr (width == 1) {
    return Eigen::internal::pexp(smaller(larger(a, fill(-87.0F)), fill(87.0F)));
  } else {
    using integers = Eigen::internal::unpacket_traits<packet>::integer_packet;
    const packet x = smaller(larger(a, fill(-87.0F)), fill(87.0F));
    // Adding 1.5 2^23 rounds to an integer and leaves it in the low bits.
    const packet magic = fill(12582912.0F);
    const packet rounded = multiply_add(x, fill(1.44269504F), magic);
    const packet n = subtract(rounded, magic);
    const packet r = multiply_add(n, fill(2.12194440e-4F), multiply_add(n, fill(-0.693359375F), x));
    packet y = multiply_add(r, fill(1.9875691500e-4F), fill(1.3981999507e-3F));
    y = multiply_add(y, r, fill(8.3334519073e-3F));
    y = multiply_add(y, r, fill(4.1665795894e-2F));
    y = multiply_add(y, r, fill(1.6666665459e-1F));
    y = multiply_add(y, r, fill(5.0000001201e-1F));
    y = multiply_add(y, multiply(r, r), add(r, fill(1.0F)));
    const integers exponent = Eigen::internal::plogical_shift_left<23>(Eigen::internal::preinterpret<integers>(rounded));
    return Eigen::internal::preinterpret<packet>(Eigen::internal::padd(Eigen::internal::preinterpret<integers>(y), exponent));
  }
}
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif

/// 1 / a for 1 <= a <= 2^126.
inline packet reciprocal(const packet& a) {
#ifdef __AVX512F__
  if constexpr (width == 16) {
    const packet start =
        _mm512_rcp14_ps(a);  // 14 bits, and a step of Newton's method: 1e-7, a quarter of the time of a division
    return multiply(start, multiply_add(a, Eigen::internal::pnegate(start), fill(2.0F)));
  }
#endif
  return divide(fill(1.0F), a);
}
/// Two results of one function.
struct packet_pair {
  packet first, second;
};

/// erfc(a) = 1 - erf(a), and e^(-a^2), for a >= 0: e^(-a^2) (1 + s q(s)) with s = a / (a + 2) and a polynomial q fitted for a
/// least error. Off by at most 1.5e-7, so that 1 - erfc(a) is erf to the precision of floats near 1; relative to erfc(a) by at
/// most 2.5e-7 (1 + a^2) for a <= 9. From 9.4 on both results stay as they are there, below 1e-37.
inline packet_pair complementary_error(const packet& a) {
  const packet x = smaller(a, fill(9.4F));
  const packet e = exponential(Eigen::internal::pnegate(multiply(x, x)));
  const packet half = multiply(x, fill(0.5F));
  const packet s = multiply(half, reciprocal(add(half, fill(1.0F))));
  packet y = multiply_add(s, fill(4.867924377e-2F), fill(-2.068437785e-1F));
  y = multiply_add(y, s, fill(2.718773782e-1F));
  y = multiply_add(y, s, fill(-6.856086105e-2F));
  y = multiply_add(y, s, fill(6.610538810e-2F));
  y = multiply_add(y, s, fill(-3.246699870e-1F));
  y = multiply_add(y, s, fill(-2.729728222e-1F));
  y = multiply_add(y, s, fill(1.743125439F));
  y = multiply_add(y, s, fill(-2.256755829F));
  y = multiply_add(y, s, fill(1.0F));
  return {multiply(y, e), e};
}
/// 1 / (1 + exp(-a)).
inline packet logistic(const packet& a) { return reciprocal(add(fill(1.0F), exponential(Eigen::internal::pnegate(a)))); }
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

/// out[i] += a[i] b[i] for i < n.
inline void accumulate(std::size_t n, float* out, const float* a, const float* b) {
  map(
      n, out, [](const packet& total, const packet& x, const packet& y) { return multiply_add(x, y, total); }, out, a, b);
}

/// first[i], second[i] = f(in[i]...) for i < n.
template <class F, class... In>
void map_two(std::size_t n, float* first, float* second, const F& f, const In*... in) {
  std::size_t i = 0;
  for (; i + width <= n; i += width) {
    const packet_pair out = f(load(in + i)...);
    store(first + i, out.first);
    store(second + i, out.second);
  }
  if (i < n) {
    const packet_pair out = f(load_part(in + i, n - i)...);
    store_part(first + i, n - i, out.first);
    store_part(second + i, n - i, out.second);
  }
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
