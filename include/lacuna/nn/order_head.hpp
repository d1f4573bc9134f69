/// @file
/// @brief order_head: the trained reveal_head: a small network on hidden states and on how sure the model is.
///
/// logit = tanh(h W_h + mean(h) W_m + f W_f + b) . w + c, with h the hidden state of a position [D], the mean over all masked
/// ones (so that positions know of each other), and f = log(1 - confidence), entropy, margin and the share of the budget used.
/// (2 D + 4 + 2) H + 1 parameters. At the start every position has the same logit, `start`: with sigmoid(start) n of n masked
/// positions revealed in the first step, so that training does not begin with everything at once.
/// Errors: invalid_argument for hidden states of another size. O(n D H) a step, beside a pass of some 12 D D L a block.
#pragma once

#include <Eigen/Core>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "lacuna/concepts/reveal_head.hpp"
#include "lacuna/core/errors.hpp"
#include "lacuna/nn/layout.hpp"
#include "lacuna/nn/parameters.hpp"

namespace lacuna::nn {

struct order_head_config {
  std::size_t hidden = 0;  ///< D
  std::size_t width = 64;  ///< H
  float start = -1;        ///< logit of every position before training

  bool operator==(const order_head_config&) const = default;
};

/// Throws invalid_argument naming the first member that does not fit.
inline void check(const order_head_config& c) {
  if (c.hidden == 0) throw invalid_argument("order_head_config: hidden is 0, expected the size of the model's hidden states");
  if (c.width == 0) throw invalid_argument("order_head_config: width is 0, expected at least 1");
  if (!std::isfinite(c.start)) throw invalid_argument("order_head_config: start is not finite");
}

/// Number of parameters, (2 D + 6) H + 1, without making any.
inline double parameter_count(const order_head_config& c) {
  return (2 * static_cast<double>(c.hidden) + static_cast<double>(reveal_feature_count) + 3) * static_cast<double>(c.width) + 1;
}

class order_head {
  using matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  using row = Eigen::Matrix<float, 1, Eigen::Dynamic>;

 public:
  /// Random parameters: the same for the same seed everywhere.
  order_head(order_head_config config, std::uint64_t seed) : config_{config} {
    nn::check(config_);
    const std::size_t d = config_.hidden, h = config_.width;
    hidden_ = parameters_.add("order.hidden.weight", {d, h}, true);
    mean_ = parameters_.add("order.mean.weight", {d, h}, true);
    features_ = parameters_.add("order.features.weight", {input_count, h}, true);
    bias_ = parameters_.add("order.bias", {h}, false);
    out_ = parameters_.add("order.out.weight", {h}, true);
    out_bias_ = parameters_.add("order.out.bias", {1}, false);
    initialiser random{parameters_, seed};
    for (const parameter* p : {&hidden_, &mean_, &features_}) random.matrix(*p);
    parameters_.of(out_bias_)[0] = config_.start;
  }

  [[nodiscard]] const order_head_config& config() const { return config_; }
  [[nodiscard]] nn::parameters& parameters() { return parameters_; }
  [[nodiscard]] const nn::parameters& parameters() const { return parameters_; }
  /// D.
  [[nodiscard]] std::size_t hidden_size() const { return config_.hidden; }

  /// Memory of one call at a time.
  struct scratch {
    matrix hidden, inputs, active, dactive;
    row mean, shared;
  };

  void reserve(scratch& s, std::size_t n) const { lay_out(s, n); }

  void operator()(const reveal_context& context, scratch& s, std::span<double> logits) const {
    const std::size_t n = context.size();
    if (context.hidden.size() != n * config_.hidden)
      throw invalid_argument("nn::order_head: " + std::to_string(context.hidden.size()) + " numbers of hidden states of " +
                             std::to_string(n) + " positions, expected " + std::to_string(config_.hidden) + " each");
    forward(context, s);
    const auto out = vector(out_);
    for (std::size_t k = 0; k < n; ++k)
      logits[k] = static_cast<double>(s.active.row(at(k)).dot(out)) + static_cast<double>(parameters_.of(out_bias_)[0]);
  }

  /// Adds the gradient of Σ d_logits[k] x logit[k]: of the parameters to `gradient`, of the hidden states [n, D] to `dhidden`
  /// unless that is empty. Features are constants.
  void add_gradient(const reveal_context& context, std::span<const double> d_logits, scratch& s, std::span<float> gradient,
                    std::span<float> dhidden = {}) const {
    const std::size_t n = context.size();
    forward(context, s);
    const auto out = vector(out_);
    const auto of = [&](const parameter& p) { return gradient.data() + p.offset; };
    Eigen::Map<row> dout(of(out_), 1, at(config_.width)), dbias(of(bias_), 1, at(config_.width));
    for (std::size_t k = 0; k < n; ++k) {
      const auto g = static_cast<float>(d_logits[k]);
      dout += g * s.active.row(at(k));
      s.dactive.row(at(k)) = g * (out.array() * (1 - s.active.row(at(k)).array().square())).matrix();
      *of(out_bias_) += g;
    }
    const auto da = s.dactive.topRows(at(n));
    const row summed = da.colwise().sum();
    dbias += summed;
    const auto d = at(config_.hidden), h = at(config_.width);
    Eigen::Map<matrix>(of(hidden_), d, h).noalias() += s.hidden.topRows(at(n)).transpose() * da;
    Eigen::Map<matrix>(of(mean_), d, h).noalias() += s.mean.transpose() * summed;
    Eigen::Map<matrix>(of(features_), at(input_count), h).noalias() += s.inputs.topRows(at(n)).transpose() * da;
    if (dhidden.empty()) return;
    Eigen::Map<matrix> dh(dhidden.data(), at(n), d);
    dh.noalias() += da * weight(hidden_).transpose();
    const row each = summed * weight(mean_).transpose() / static_cast<float>(n);
    dh.rowwise() += each;
  }

 private:
  static constexpr std::size_t input_count = reveal_feature_count + 1;  // and the share of the budget
  static Eigen::Index at(std::size_t k) { return static_cast<Eigen::Index>(k); }

  [[nodiscard]] Eigen::Map<const matrix> weight(const parameter& p) const {
    return {parameters_.values().data() + p.offset, at(p.shape[0]), at(p.shape[1])};
  }
  [[nodiscard]] Eigen::Map<const row> vector(const parameter& p) const {
    return {parameters_.values().data() + p.offset, 1, at(p.size)};
  }

  void lay_out(scratch& s, std::size_t n) const {
    if (s.hidden.rows() >= at(n)) return;
    s.hidden.resize(at(n), at(config_.hidden));
    s.inputs.resize(at(n), at(input_count));
    s.active.resize(at(n), at(config_.width));
    s.dactive.resize(at(n), at(config_.width));
    s.mean.resize(at(config_.hidden));
    s.shared.resize(at(config_.width));
  }

  void forward(const reveal_context& context, scratch& s) const {
    const std::size_t n = context.size();
    lay_out(s, n);
    auto hidden = s.hidden.topRows(at(n));
    hidden = Eigen::Map<const matrix>(context.hidden.data(), at(n), at(config_.hidden));
    for (std::size_t k = 0; k < n; ++k) {
      for (std::size_t f = 0; f < reveal_feature_count; ++f) s.inputs(at(k), at(f)) = context.feature(k)[f];
      s.inputs(at(k), at(reveal_feature_count)) = static_cast<float>(context.elapsed);
    }
    s.mean = hidden.colwise().sum() / static_cast<float>(n);
    s.shared = vector(bias_);
    s.shared.noalias() += s.mean * weight(mean_);
    auto active = s.active.topRows(at(n));
    active.noalias() = hidden * weight(hidden_);
    active.noalias() += s.inputs.topRows(at(n)) * weight(features_);
    active.rowwise() += s.shared;
    active = active.array().tanh();
  }

  order_head_config config_;
  nn::parameters parameters_;
  parameter hidden_, mean_, features_, bias_, out_, out_bias_;
};
static_assert(reveal_head<order_head>);

}  // namespace lacuna::nn
