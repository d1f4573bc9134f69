/// @file
/// @brief likelihood::speculative_recursion: the probability that speculative sampling ends with given tokens, from one draft
/// on.
///
/// With i positions revealed and drafted up to e, the drafted token of track d is the given one and accepted with probability
/// a_d = min(p_d, q_d), refused and redrawn as the given one with b_d = max(0, q_d − p_d). Let L(j) be the probability of the
/// tracks behind j when a draft is made with j revealed, and F(k, m) that of those behind k when m verifications are left:
///
///     F(k, m) = Σ_{k<j≤e} (Π_{k<d<j} a_d) b_j G(j, m) + (Π_{k<d≤e} a_d) L(e),   G(j, m) = L(j) if m = 1 or j = e, else F(j, m
///     − 1)
///
/// and L(i) = F(i, n). G does not depend on k, so that F(k, m) = b_{k+1} G(k + 1, m) + a_{k+1} F(k + 1, m) with F(e, m) = L(e):
/// O((e − i) n) time, in logarithms. Source: Self-Speculative Masked Diffusions (arXiv 2510.03929).
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <span>
#include <vector>

#include "lacuna/core/log_add.hpp"

namespace lacuna::likelihood {

/// log L(i) from the logarithms of a and b [W] of tracks i + 1 … e, and of L [W] for i + 1 … e. `scratch` is overwritten; n
/// ≥ 1.
inline double speculative_recursion(std::span<const double> log_a, std::span<const double> log_b, std::span<const double> after,
                                    std::size_t verifications, std::vector<double>& scratch) {
  const std::size_t w = log_a.size();
  assert(w > 0 && log_b.size() == w && after.size() == w && verifications > 0);
  // f[k] = log F(i + k, m), of the round before until it is overwritten; it begins as L, for which m = 0 stands
  std::vector<double>& f = scratch;
  f.assign(w + 1, 0);
  std::copy(after.begin(), after.end(), f.begin() + 1);
  for (std::size_t m = 1; m <= std::min(verifications, w); ++m) {  // each verification decides a track at least
    double redrawn = f[w];                                         // G(k + 1, m)
    for (std::size_t k = w; k-- > 0;) {
      const double before = f[k];
      f[k] = log_add(log_b[k] + redrawn, log_a[k] + f[k + 1]);
      redrawn = before;
    }
  }
  return f[0];
}

}  // namespace lacuna::likelihood
