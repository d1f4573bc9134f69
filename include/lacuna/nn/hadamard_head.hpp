/// @file
/// @brief The published head on pairs of hidden states: a product of two projections through a small network.
///
/// z = h W_z + b;  q = z W_q + b;  k = z W_k + b;  e_ij = LayerNorm(q_i * k_j), element by element;
/// o_ij = GELU(e_ij W_1 + b) . w_2 + b;  the estimate is (softplus(o_ij) + softplus(o_ji)) / 2, in nats.
/// With hidden states of size D and width H it has 3 H^2 + (D + 7) H + 1 parameters. Cost: 2 n^2 H^2 operations for n
/// positions, which for small networks is as much as a pass; nn/contextual_head.hpp is cheaper and closer. Neural Estimation of
/// Pairwise Mutual Information in Masked Discrete Sequence Models, arXiv 2605.20187, section 3.2 (the GELU is our tanh form).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "lacuna/core/errors.hpp"
#include "lacuna/core/statistics.hpp"
#include "lacuna/nn/buffer.hpp"
#include "lacuna/nn/feed_forward.hpp"
#include "lacuna/nn/layout.hpp"
#include "lacuna/nn/linear.hpp"
#include "lacuna/nn/norm.hpp"
#include "lacuna/nn/pair_example.hpp"
#include "lacuna/nn/pair_loss.hpp"
#include "lacuna/nn/parameters.hpp"
#include "lacuna/nn/simd.hpp"

namespace lacuna::nn {

struct hadamard_config {
  std::size_t hidden = 0;  ///< D
  std::size_t width = 0;   ///< H
  float norm_epsilon = 1e-5F;

  bool operator==(const hadamard_config&) const = default;
};

/// Throws invalid_argument naming the first member that does not fit.
inline void check(const hadamard_config& c) {
  if (c.hidden == 0) throw invalid_argument("hadamard_config: hidden is 0, expected the size of the model's hidden states");
  if (c.width == 0) throw invalid_argument("hadamard_config: width is 0, expected at least 1");
  if (!(c.norm_epsilon > 0 && std::isfinite(c.norm_epsilon)))
    throw invalid_argument("hadamard_config: norm_epsilon is " + std::to_string(c.norm_epsilon) +
                           ", expected a positive number");
}

/// Number of parameters, 3 H^2 + (D + 7) H + 1, without making any.
inline double parameter_count(const hadamard_config& c) {
  const auto d = static_cast<double>(c.hidden);
  const auto h = static_cast<double>(c.width);
  return 3 * h * h + (d + 7) * h + 1;
}

class hadamard_head {
 public:
  using config_type = hadamard_config;
  static constexpr statistics reads = statistics::hidden;

  /// Random parameters: the same for the same seed everywhere.
  hadamard_head(hadamard_config config, std::uint64_t seed) : config_{config} {
    nn::check(config_);
    const std::size_t d = config_.hidden;
    const std::size_t h = config_.width;
    const auto linear = [&](const std::string& name, std::size_t in, std::size_t out) {
      const parameter weight = parameters_.add(name + ".weight", {in, out}, true);
      return layer{weight, parameters_.add(name + ".bias", {out}, false)};
    };
    z_ = linear("pairs.hidden", d, h);
    q_ = linear("pairs.query", h, h);
    k_ = linear("pairs.key", h, h);
    norm_ = {parameters_.add("pairs.norm.weight", {h}, false), parameters_.add("pairs.norm.bias", {h}, false)};
    inner_ = linear("pairs.inner", h, h);
    out_ = linear("pairs.out", h, 1);
    initialiser start{parameters_, seed};
    for (const layer* l : {&z_, &q_, &k_, &inner_, &out_}) start.matrix(l->weight);
    start.ones(norm_.weight);
  }

  [[nodiscard]] const hadamard_config& config() const { return config_; }
  [[nodiscard]] nn::parameters& parameters() { return parameters_; }
  [[nodiscard]] const nn::parameters& parameters() const { return parameters_; }
  /// D.
  [[nodiscard]] std::size_t hidden_size() const { return config_.hidden; }

  /// Memory of one call at a time; the pointers are set by each.
  struct scratch {
    buffer memory;
    float *z = nullptr, *q = nullptr, *k = nullptr;        ///< [n, H]
    float *product = nullptr, *e = nullptr, *u = nullptr;  ///< [n, H], of one row of pairs
    float* statistics = nullptr;                           ///< [n, 2] of the norm
    float* o = nullptr;                                    ///< [n, n]
    float *dz = nullptr, *dq = nullptr, *dk = nullptr;     ///< [n, H], for training from here on
    float *dproduct = nullptr, *de = nullptr, *dinner = nullptr, *g = nullptr;
    float *transposed_q = nullptr, *transposed_k = nullptr, *transposed_inner = nullptr;  ///< [H, H]
  };

  /// Throws invalid_argument for hidden states of another size.
  void check(const pair_context& context) const {
    expect_count(context.hidden.size(), context.size() * config_.hidden, "numbers of hidden states");
  }
  /// Makes room for estimates of n positions.
  void reserve(scratch& s, std::size_t n) const { lay_out(s, n, false); }

  /// The estimates of the pairs of m chosen ones of the n positions, out [m, m], symmetric, 0 on the diagonal.
  void operator()(const pair_context& context, std::span<const std::size_t> chosen, scratch& s, std::span<double> out) const {
    check(context);
    check_chosen(context, chosen, out);
    const std::size_t m = chosen.size();
    lay_out(s, m, false);
    for (std::size_t a = 0; a < m; ++a)
      apply(z_, 1, context.hidden.data() + chosen[a] * config_.hidden, s.z + a * config_.width);
    project(m, s);
    for (std::size_t a = 0; a < m; ++a) row_of_pairs(s, m, a);
    for (std::size_t a = 0; a < m; ++a) {
      out[a * m + a] = 0;
      for (std::size_t b = 0; b < a; ++b)
        out[a * m + b] = out[b * m + a] =
            (softplus(static_cast<double>(s.o[a * m + b])) + softplus(static_cast<double>(s.o[b * m + a]))) / 2;
    }
  }

  /// Returns the loss of one example, and adds its gradient.
  double loss_and_gradient(const pair_example& example, const pair_loss& loss, scratch& s, std::span<float> gradient) const {
    check(example.context);
    const std::size_t n = example.context.size();
    const std::size_t h = config_.width;
    if (n < 2) return 0;
    lay_out(s, n, true);
    apply(z_, n, example.context.hidden.data(), s.z);
    project(n, s);
    for (std::size_t i = 0; i < n; ++i) row_of_pairs(s, n, i);
    double total = 0;
    for (std::size_t i = 0; i < n; ++i) {  // o becomes its gradient
      s.o[i * n + i] = 0;
      for (std::size_t j = 0; j < i; ++j) {
        float& there = s.o[i * n + j];
        float& back = s.o[j * n + i];
        const double w = static_cast<double>(example.weights[i * n + j]);
        if (w == 0) {
          there = back = 0;
          continue;
        }
        const double x = static_cast<double>(there);
        const double y = static_cast<double>(back);
        const auto [value, slope] = loss((softplus(x) + softplus(y)) / 2, static_cast<double>(example.targets[i * n + j]));
        total += w * value;
        there = static_cast<float>(w * slope / 2 / (1 + std::exp(-x)));
        back = static_cast<float>(w * slope / 2 / (1 + std::exp(-y)));
      }
    }
    float* to = gradient.data();
    const float* from = parameters_.values().data();
    const auto flipped = [&](const layer& l, float* out) {
      transpose(l.weight.shape[0], l.weight.shape[1], from + l.weight.offset, out);
    };
    flipped(q_, s.transposed_q);
    flipped(k_, s.transposed_k);
    flipped(inner_, s.transposed_inner);
    std::fill_n(s.dq, n * h, 0.0F);
    std::fill_n(s.dk, n * h, 0.0F);
    for (std::size_t i = 0; i < n; ++i) {
      const float* dout = s.o + i * n;
      if (std::all_of(dout, dout + n, [](float v) { return v == 0; })) continue;
      pairs_of(s, n, i);  // the activations of this row once more
      activation_forward_with_slopes(activation::gelu, n, h, s.u, s.g);
      linear_backward_weight(n, h, 1, s.g, dout, to + out_.weight.offset, to + out_.bias.offset);
      for (std::size_t j = 0; j < n; ++j) {
        const simd::packet d = simd::fill(dout[j]);
        simd::map(
            h, s.dinner + j * h, [&](const auto& w, const auto& slope) { return simd::multiply(simd::multiply(d, w), slope); },
            from + out_.weight.offset, s.u + j * h);
      }
      linear_backward_weight(n, h, h, s.e, s.dinner, to + inner_.weight.offset, to + inner_.bias.offset);
      linear_backward_input(n, h, h, s.dinner, s.transposed_inner, s.de);
      std::fill_n(s.dproduct, n * h, 0.0F);
      norm_backward(n, h, s.product, s.statistics, from + norm_.weight.offset, s.de, s.dproduct, to + norm_.weight.offset,
                    to + norm_.bias.offset);
      for (std::size_t j = 0; j < n; ++j) {
        simd::accumulate(h, s.dq + i * h, s.dproduct + j * h, s.k + j * h);
        simd::accumulate(h, s.dk + j * h, s.dproduct + j * h, s.q + i * h);
      }
    }
    linear_backward_weight(n, h, h, s.z, s.dq, to + q_.weight.offset, to + q_.bias.offset);
    linear_backward_weight(n, h, h, s.z, s.dk, to + k_.weight.offset, to + k_.bias.offset);
    linear_backward_input(n, h, h, s.dq, s.transposed_q, s.dz);
    linear_backward_input(n, h, h, s.dk, s.transposed_k, s.g);
    simd::map(
        n * h, s.dz, [](const auto& a, const auto& b) { return simd::add(a, b); }, s.dz, s.g);
    linear_backward_weight(n, config_.hidden, h, example.context.hidden.data(), s.dz, to + z_.weight.offset,
                           to + z_.bias.offset);
    return total;
  }

 private:
  struct layer {
    parameter weight, bias;
  };

  static double softplus(double x) { return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x))); }

  void apply(const layer& l, std::size_t n, const float* x, float* y) const {
    const float* from = parameters_.values().data();
    linear_forward(n, l.weight.shape[0], l.weight.shape[1], x, from + l.weight.offset, from + l.bias.offset, y);
  }

  void lay_out(scratch& s, std::size_t n, bool training) const {
    const std::size_t h = config_.width;
    const auto assign = [&](pieces p) {
      for (float** one : {&s.z, &s.q, &s.k, &s.product, &s.e, &s.u}) *one = p.take(n * h);
      s.statistics = p.take(2 * n);
      s.o = p.take(n * n);
      if (training) {
        for (float** one : {&s.dz, &s.dq, &s.dk, &s.dproduct, &s.de, &s.dinner, &s.g}) *one = p.take(n * h);
        for (float** one : {&s.transposed_q, &s.transposed_k, &s.transposed_inner}) *one = p.take(h * h);
      }
      return p.total();
    };
    const std::size_t total = assign(pieces{});
    assign(pieces{s.memory.reserve(total)});
  }

  void project(std::size_t n, scratch& s) const {
    apply(q_, n, s.z, s.q);
    apply(k_, n, s.z, s.k);
  }

  /// product, e and u of the pairs (i, 0), (i, 1), …
  void pairs_of(scratch& s, std::size_t n, std::size_t i) const {
    const std::size_t h = config_.width;
    const float* from = parameters_.values().data();
    for (std::size_t j = 0; j < n; ++j)
      simd::map(
          h, s.product + j * h, [](const auto& a, const auto& b) { return simd::multiply(a, b); }, s.q + i * h, s.k + j * h);
    norm_forward(n, h, s.product, from + norm_.weight.offset, from + norm_.bias.offset, config_.norm_epsilon, s.e,
                 s.statistics);
    apply(inner_, n, s.e, s.u);
  }

  /// o of the same pairs.
  void row_of_pairs(scratch& s, std::size_t n, std::size_t i) const {
    pairs_of(s, n, i);
    activation_forward(activation::gelu, n, config_.width, s.u, s.u);
    apply(out_, n, s.u, s.o + i * n);
  }

  hadamard_config config_;
  nn::parameters parameters_;
  layer z_, q_, k_, norm_, inner_, out_;
};

}  // namespace lacuna::nn
