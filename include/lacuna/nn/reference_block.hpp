/// @file
/// @brief One block of the network in plain loops, with whatever attention it is given. See nn/reference.hpp.
#pragma once

#include <cstddef>
#include <utility>

#include "lacuna/nn/config.hpp"
#include "lacuna/nn/layout.hpp"
#include "lacuna/nn/reference.hpp"

namespace lacuna::nn::reference {

/// What the backward pass needs of the forward pass.
template <class Scalar>
struct block_kept {
  values<Scalar> x, h1, qkv, probabilities, attended, middle, h2, u, g;
};

template <class Scalar>
const Scalar* bias_at(const Scalar* base, const parameter& p) {
  return p.size == 0 ? nullptr : base + p.offset;
}

/// x [N, D] -> the block's output. `attend(qkv, probabilities)` turns queries and keys in place, fills the probabilities and
/// returns what the queries see.
template <class Scalar, class Attend>
values<Scalar> block(const transformer_config& c, const block_layout& b, const Scalar* base, const values<Scalar>& x,
                     const Attend& attend, block_kept<Scalar>& r) {
  const std::size_t d = c.width;
  const std::size_t n = x.size() / d;
  const auto epsilon = static_cast<Scalar>(c.norm_epsilon);
  r.x = x;
  r.h1 = norm(n, d, x, base + b.norm1_weight.offset, bias_at(base, b.norm1_bias), epsilon);
  r.qkv = linear(n, d, 3 * d, r.h1, base + b.qkv_weight.offset, base + b.qkv_bias.offset);
  r.attended = attend(r.qkv, r.probabilities);
  r.middle = linear(n, d, d, r.attended, base + b.out_weight.offset, base + b.out_bias.offset);
  for (std::size_t i = 0; i < n * d; ++i) r.middle[i] += x[i];
  r.h2 = norm(n, d, r.middle, base + b.norm2_weight.offset, bias_at(base, b.norm2_bias), epsilon);
  r.u = linear(n, d, c.up_width(), r.h2, base + b.up_weight.offset, base + b.up_bias.offset);
  r.g = activate(c.activation, n, c.feed_forward, r.u);
  values<Scalar> y = linear(n, c.feed_forward, d, r.g, base + b.down_weight.offset, base + b.down_bias.offset);
  for (std::size_t i = 0; i < n * d; ++i) y[i] += r.middle[i];
  return y;
}

/// dx from dy, in place; adds to `gradient`. `attend_backward(qkv, probabilities, dattended)` returns the gradient of queries,
/// keys and values as they were before they were turned.
template <class Scalar, class AttendBackward>
void block_backward(const transformer_config& c, const block_layout& b, const Scalar* base, const block_kept<Scalar>& r,
                    const AttendBackward& attend_backward, values<Scalar>& dx, Scalar* gradient) {
  const std::size_t d = c.width;
  const std::size_t n = dx.size() / d;
  const auto epsilon = static_cast<Scalar>(c.norm_epsilon);
  const bool layered = c.norm == norm_kind::layer;
  const auto into = [&](const parameter& p) { return gradient + p.offset; };
  const auto add = [&](const values<Scalar>& more) {
    for (std::size_t i = 0; i < n * d; ++i) dx[i] += more[i];
  };
  const values<Scalar> dg =
      linear_backward(n, c.feed_forward, d, r.g, base + b.down_weight.offset, dx, into(b.down_weight), into(b.down_bias));
  const values<Scalar> du = activate_backward(c.activation, n, c.feed_forward, r.u, dg);
  const values<Scalar> dh2 =
      linear_backward(n, d, c.up_width(), r.h2, base + b.up_weight.offset, du, into(b.up_weight), into(b.up_bias));
  add(norm_backward(n, d, r.middle, base + b.norm2_weight.offset, layered, epsilon, dh2, into(b.norm2_weight),
                    into(b.norm2_bias)));
  const values<Scalar> dattended =
      linear_backward(n, d, d, r.attended, base + b.out_weight.offset, dx, into(b.out_weight), into(b.out_bias));
  const values<Scalar> dqkv = attend_backward(r.qkv, r.probabilities, dattended);
  const values<Scalar> dh1 =
      linear_backward(n, d, 3 * d, r.h1, base + b.qkv_weight.offset, dqkv, into(b.qkv_weight), into(b.qkv_bias));
  add(norm_backward(n, d, r.x, base + b.norm1_weight.offset, layered, epsilon, dh1, into(b.norm1_weight), into(b.norm1_bias)));
}

}  // namespace lacuna::nn::reference
