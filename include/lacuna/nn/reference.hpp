/// @file
/// @brief The same network in plain loops, templated on the scalar: what the fast one is held against.
///
/// Slow and obvious on purpose: no blocking, no packing, no reuse of memory. In double it also serves finite differences. The
/// functions take one row at a time; shapes [L, D] row-major in std::vector.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "lacuna/core/token.hpp"
#include "lacuna/nn/config.hpp"
#include "lacuna/nn/example_batch.hpp"
#include "lacuna/nn/layout.hpp"

namespace lacuna::nn::reference {

template <class Scalar>
using values = std::vector<Scalar>;

/// y [n, out] = x [n, in] W + b.
template <class Scalar>
values<Scalar> linear(std::size_t n, std::size_t in, std::size_t out, const values<Scalar>& x, const Scalar* w,
                      const Scalar* b) {
  values<Scalar> y(n * out);
  for (std::size_t t = 0; t < n; ++t)
    for (std::size_t o = 0; o < out; ++o) {
      Scalar total = b == nullptr ? Scalar{0} : b[o];
      for (std::size_t i = 0; i < in; ++i) total += x[t * in + i] * w[i * out + o];
      y[t * out + o] = total;
    }
  return y;
}

/// Returns dx; adds to dw and db.
template <class Scalar>
values<Scalar> linear_backward(std::size_t n, std::size_t in, std::size_t out, const values<Scalar>& x, const Scalar* w,
                               const values<Scalar>& dy, Scalar* dw, Scalar* db) {
  values<Scalar> dx(n * in);
  for (std::size_t t = 0; t < n; ++t)
    for (std::size_t o = 0; o < out; ++o) {
      const Scalar g = dy[t * out + o];
      db[o] += g;
      for (std::size_t i = 0; i < in; ++i) {
        dw[i * out + o] += x[t * in + i] * g;
        dx[t * in + i] += w[i * out + o] * g;
      }
    }
  return dx;
}

/// Layer norm with a bias, RMS norm without.
template <class Scalar>
values<Scalar> norm(std::size_t n, std::size_t d, const values<Scalar>& x, const Scalar* w, const Scalar* b, Scalar epsilon) {
  values<Scalar> y(n * d);
  for (std::size_t t = 0; t < n; ++t) {
    Scalar mean{0};
    if (b != nullptr) {
      for (std::size_t i = 0; i < d; ++i) mean += x[t * d + i];
      mean /= static_cast<Scalar>(d);
    }
    Scalar variance{0};
    for (std::size_t i = 0; i < d; ++i) variance += (x[t * d + i] - mean) * (x[t * d + i] - mean);
    const Scalar scale = 1 / std::sqrt(variance / static_cast<Scalar>(d) + epsilon);
    for (std::size_t i = 0; i < d; ++i) y[t * d + i] = (x[t * d + i] - mean) * scale * w[i] + (b == nullptr ? Scalar{0} : b[i]);
  }
  return y;
}

template <class Scalar>
values<Scalar> norm_backward(std::size_t n, std::size_t d, const values<Scalar>& x, const Scalar* w, bool with_mean,
                             Scalar epsilon, const values<Scalar>& dy, Scalar* dw, Scalar* db) {
  values<Scalar> dx(n * d);
  const auto count = static_cast<Scalar>(d);
  for (std::size_t t = 0; t < n; ++t) {
    Scalar mean{0};
    if (with_mean) {
      for (std::size_t i = 0; i < d; ++i) mean += x[t * d + i];
      mean /= count;
    }
    Scalar variance{0};
    for (std::size_t i = 0; i < d; ++i) variance += (x[t * d + i] - mean) * (x[t * d + i] - mean);
    const Scalar scale = 1 / std::sqrt(variance / count + epsilon);
    Scalar mean_g{0};
    Scalar mean_gx{0};
    for (std::size_t i = 0; i < d; ++i) {
      const Scalar normal = (x[t * d + i] - mean) * scale;
      const Scalar g = dy[t * d + i] * w[i];
      mean_g += g / count;
      mean_gx += g * normal / count;
      dw[i] += dy[t * d + i] * normal;
      if (with_mean) db[i] += dy[t * d + i];
    }
    if (!with_mean) mean_g = 0;
    for (std::size_t i = 0; i < d; ++i)
      dx[t * d + i] = scale * (dy[t * d + i] * w[i] - mean_g - (x[t * d + i] - mean) * scale * mean_gx);
  }
  return dx;
}

template <class Scalar>
Scalar logistic(Scalar x) {
  return 1 / (1 + std::exp(-x));
}

/// GELU in its tanh form.
template <class Scalar>
Scalar gelu(Scalar u) {
  const Scalar c = std::sqrt(Scalar{2} / std::acos(Scalar{-1}));
  return u / 2 * (1 + std::tanh(c * (u + Scalar{0.044715} * u * u * u)));
}
template <class Scalar>
Scalar gelu_slope(Scalar u) {
  const Scalar c = std::sqrt(Scalar{2} / std::acos(Scalar{-1}));
  const Scalar t = std::tanh(c * (u + Scalar{0.044715} * u * u * u));
  return (1 + t) / 2 + u / 2 * (1 - t * t) * c * (1 + 3 * Scalar{0.044715} * u * u);
}

/// GELU in its exact form, u times the distribution function of the normal.
template <class Scalar>
Scalar gelu_erf(Scalar u) {
  return u / 2 * std::erfc(-u / std::sqrt(Scalar{2}));
}
template <class Scalar>
Scalar gelu_erf_slope(Scalar u) {
  const Scalar density = std::exp(-u * u / 2) / std::sqrt(2 * std::acos(Scalar{-1}));
  return std::erfc(-u / std::sqrt(Scalar{2})) / 2 + u * density;
}

template <class Scalar>
values<Scalar> activate(activation kind, std::size_t n, std::size_t f, const values<Scalar>& u) {
  values<Scalar> g(n * f);
  for (std::size_t t = 0; t < n; ++t)
    for (std::size_t i = 0; i < f; ++i) {
      Scalar& out = g[t * f + i];
      if (kind == activation::gelu) out = gelu(u[t * f + i]);
      if (kind == activation::gelu_erf) out = gelu_erf(u[t * f + i]);
      if (kind == activation::swiglu) out = u[t * 2 * f + i] * logistic(u[t * 2 * f + i]) * u[t * 2 * f + f + i];
    }
  return g;
}

template <class Scalar>
values<Scalar> activate_backward(activation kind, std::size_t n, std::size_t f, const values<Scalar>& u,
                                 const values<Scalar>& dg) {
  values<Scalar> du(u.size());
  for (std::size_t t = 0; t < n; ++t)
    for (std::size_t i = 0; i < f; ++i) {
      if (kind == activation::gelu) {
        du[t * f + i] = dg[t * f + i] * gelu_slope(u[t * f + i]);
      } else if (kind == activation::gelu_erf) {
        du[t * f + i] = dg[t * f + i] * gelu_erf_slope(u[t * f + i]);
      } else {
        const Scalar gate = u[t * 2 * f + i];
        const Scalar s = logistic(gate);
        du[t * 2 * f + i] = dg[t * f + i] * u[t * 2 * f + f + i] * (s + gate * s * (1 - s));
        du[t * 2 * f + f + i] = dg[t * f + i] * gate * s;
      }
    }
  return du;
}

/// Turns one token's heads, x [H, E], by an angle of direction x position.
template <class Scalar>
void rotate_heads(const transformer_config& c, std::size_t position, Scalar direction, Scalar* x) {
  const std::size_t e = c.head_width();
  for (std::size_t h = 0; h < c.heads; ++h)
    for (std::size_t i = 0; i < e / 2; ++i) {
      const Scalar angle = direction * static_cast<Scalar>(position) *
                           std::pow(static_cast<Scalar>(c.rotary_base), -2 * static_cast<Scalar>(i) / static_cast<Scalar>(e));
      Scalar& a = x[h * e + i];
      Scalar& b = x[h * e + i + e / 2];
      const Scalar turned = a * std::cos(angle) - b * std::sin(angle);
      b = b * std::cos(angle) + a * std::sin(angle);
      a = turned;
    }
}

/// Turns queries and keys, qkv [L, 3D], by direction x position.
template <class Scalar>
void rotate(const transformer_config& c, std::size_t length, Scalar direction, values<Scalar>& qkv) {
  for (std::size_t l = 0; l < length; ++l)
    for (std::size_t part = 0; part < 2; ++part) rotate_heads(c, l, direction, qkv.data() + l * 3 * c.width + part * c.width);
}

/// Returns out [L, D] and fills probabilities [H, L, L]. `relation` are the layer's numbers [H, R] or null.
template <class Scalar>
values<Scalar> attention(const transformer_config& c, std::size_t length, const values<Scalar>& qkv, const Scalar* relation,
                         values<Scalar>& probabilities) {
  const std::size_t d = c.width;
  const std::size_t e = c.head_width();
  probabilities.assign(c.heads * length * length, Scalar{0});
  values<Scalar> out(length * d);
  for (std::size_t h = 0; h < c.heads; ++h)
    for (std::size_t q = 0; q < length; ++q) {
      Scalar* p = probabilities.data() + (h * length + q) * length;
      for (std::size_t k = 0; k < length; ++k) {
        Scalar score{0};
        for (std::size_t i = 0; i < e; ++i) score += qkv[q * 3 * d + h * e + i] * qkv[k * 3 * d + d + h * e + i];
        p[k] = score / std::sqrt(static_cast<Scalar>(e));
        if (relation != nullptr) p[k] += relation[h * c.relation->count + c.relation->ids[q * c.max_length + k]];
      }
      const Scalar top = *std::max_element(p, p + length);
      Scalar total{0};
      for (std::size_t k = 0; k < length; ++k) total += p[k] = std::exp(p[k] - top);
      for (std::size_t k = 0; k < length; ++k) {
        p[k] /= total;
        for (std::size_t i = 0; i < e; ++i) out[q * d + h * e + i] += p[k] * qkv[k * 3 * d + 2 * d + h * e + i];
      }
    }
  return out;
}

/// Returns dqkv; adds to drelation if not null.
template <class Scalar>
values<Scalar> attention_backward(const transformer_config& c, std::size_t length, const values<Scalar>& qkv,
                                  const values<Scalar>& probabilities, const values<Scalar>& dout, Scalar* drelation) {
  const std::size_t d = c.width;
  const std::size_t e = c.head_width();
  const Scalar scale = 1 / std::sqrt(static_cast<Scalar>(e));
  values<Scalar> dqkv(length * 3 * d);
  for (std::size_t h = 0; h < c.heads; ++h)
    for (std::size_t q = 0; q < length; ++q) {
      const Scalar* p = probabilities.data() + (h * length + q) * length;
      values<Scalar> dp(length);
      Scalar mean{0};
      for (std::size_t k = 0; k < length; ++k) {
        for (std::size_t i = 0; i < e; ++i) {
          dp[k] += dout[q * d + h * e + i] * qkv[k * 3 * d + 2 * d + h * e + i];
          dqkv[k * 3 * d + 2 * d + h * e + i] += p[k] * dout[q * d + h * e + i];
        }
        mean += p[k] * dp[k];
      }
      for (std::size_t k = 0; k < length; ++k) {
        const Scalar ds = p[k] * (dp[k] - mean);
        if (drelation != nullptr) drelation[h * c.relation->count + c.relation->ids[q * c.max_length + k]] += ds;
        for (std::size_t i = 0; i < e; ++i) {
          dqkv[q * 3 * d + h * e + i] += scale * ds * qkv[k * 3 * d + d + h * e + i];
          dqkv[k * 3 * d + d + h * e + i] += scale * ds * qkv[q * 3 * d + h * e + i];
        }
      }
    }
  return dqkv;
}

/// Returns weight x (-log softmax(logits)[target]) and turns the V logits into its gradient; the target is not looked at where
/// the weight is 0.
template <class Scalar>
Scalar cross_entropy(std::size_t v, token target, Scalar weight, Scalar* logits) {
  if (weight == 0) {
    std::fill(logits, logits + v, Scalar{0});
    return 0;
  }
  const auto right = static_cast<std::size_t>(target);
  const Scalar top = *std::max_element(logits, logits + v);
  Scalar sum{0};
  for (std::size_t t = 0; t < v; ++t) sum += std::exp(logits[t] - top);
  const Scalar loss = weight * (top + std::log(sum) - logits[right]);
  for (std::size_t t = 0; t < v; ++t) logits[t] = weight * (std::exp(logits[t] - top) / sum - (t == right ? 1 : 0));
  return loss;
}

}  // namespace lacuna::nn::reference
