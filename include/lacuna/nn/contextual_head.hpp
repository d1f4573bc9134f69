/// @file
/// @brief A head on pairs of hidden states that first lets the masked positions look at each other; then products of
/// projections.
///
/// A position enters with its hidden state, its log-probabilities and its entropy; a few transformer blocks over the n masked
/// positions follow (attention with a bias for each relation of two positions, as in the model if it has one); then
///   t_ij = Σ_r w_{c(i,j), r} q_ir k_jr + u_{i, c(i,j)} + b_{c(i,j)},
///   estimate = min(H_i, H_j) · logistic((t_ij + t_ji) / 2)
/// with the relation c(i,j) of two positions. So no estimate leaves [0, min(H_i, H_j)], and small values are exponentials of
/// what the head computes. Choose it over nn/hadamard_head.hpp: what two positions share hangs on the others, and no tensor of
/// n × n × H is made. Cost: n (2 (D + V) W + depth (16 W^2 + 4 n W)) + 6 n^2 R operations. The design is ours.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "lacuna/core/errors.hpp"
#include "lacuna/core/statistics.hpp"
#include "lacuna/nn/attention.hpp"
#include "lacuna/nn/block.hpp"
#include "lacuna/nn/buffer.hpp"
#include "lacuna/nn/config.hpp"
#include "lacuna/nn/layout.hpp"
#include "lacuna/nn/linear.hpp"
#include "lacuna/nn/norm.hpp"
#include "lacuna/nn/pair_example.hpp"
#include "lacuna/nn/pair_loss.hpp"
#include "lacuna/nn/parameters.hpp"
#include "lacuna/nn/simd.hpp"
#include "lacuna/nn/training_memory.hpp"

namespace lacuna::nn {

struct contextual_config {
  std::size_t hidden = 0;  ///< D
  std::size_t rank = 32;   ///< R
  /// The blocks: `vocabulary` (V) and `max_length` of the model; width W, depth (at least 1), heads and feed_forward of the
  /// head; `relation`, if there is one, is that of two positions of the sequence.
  transformer_config blocks;

  /// Classes of pairs of positions.
  [[nodiscard]] std::size_t relations() const { return blocks.relation ? blocks.relation->count : 1; }
  /// What a position enters with: D + V + 2 numbers.
  [[nodiscard]] std::size_t inputs() const { return hidden + blocks.vocabulary + 2; }
  /// Queries, keys and a number for each relation.
  [[nodiscard]] std::size_t outputs() const { return 2 * rank + relations(); }

  bool operator==(const contextual_config&) const = default;
};

/// Throws invalid_argument naming the first member that does not fit.
inline void check(const contextual_config& c) {
  if (c.hidden == 0) throw invalid_argument("contextual_config: hidden is 0, expected the size of the model's hidden states");
  if (c.rank == 0) throw invalid_argument("contextual_config: rank is 0, expected at least 1");
  if (c.blocks.positions != positions::none || !c.blocks.features.empty())
    throw invalid_argument("contextual_config: the blocks have positions or features, expected a relation at the most");
  check(c.blocks);
}

/// Number of parameters, without making any.
inline double parameter_count(const contextual_config& c) {
  const auto number = [](std::size_t n) { return static_cast<double>(n); };
  const double w = number(c.blocks.width);
  const double attention = c.blocks.relation ? number(c.blocks.depth) * number(c.blocks.heads) * number(c.relations()) : 0;
  return (number(c.inputs()) + 1) * w + attention + number(c.blocks.own_blocks()) * block_parameter_count(c.blocks) +
         norm_parameter_count(c.blocks) + (w + 1) * number(c.outputs()) + number(c.relations()) * (number(c.rank) + 1);
}

class contextual_head {
 public:
  using config_type = contextual_config;
  static constexpr statistics reads = statistics::hidden | statistics::rows | statistics::entropy;
  /// The least log-probability that is told from none.
  static constexpr float lowest = -12.0F;

  /// Random parameters: the same for the same seed everywhere.
  contextual_head(contextual_config config, std::uint64_t seed) : config_{std::move(config)} {
    nn::check(config_);
    const transformer_config& c = config_.blocks;
    const std::size_t relations = config_.relations();
    in_weight_ = parameters_.add("pairs.in.weight", {config_.inputs(), c.width}, true);
    in_bias_ = parameters_.add("pairs.in.bias", {c.width}, false);
    if (c.relation) relation_ = parameters_.add("pairs.attention.relation", {c.depth, c.heads, relations}, false);
    for (std::size_t l = 0; l < c.own_blocks(); ++l)
      blocks_.push_back(block_layout::add_to(parameters_, "pairs.block." + std::to_string(l) + ".", c));
    norm_weight_ = parameters_.add("pairs.norm.weight", {c.width}, false);
    norm_bias_ = block_layout::add_norm_bias(parameters_, "pairs.norm.bias", c);
    out_weight_ = parameters_.add("pairs.out.weight", {c.width, config_.outputs()}, true);
    out_bias_ = parameters_.add("pairs.out.bias", {config_.outputs()}, false);
    scale_ = parameters_.add("pairs.scale", {relations, config_.rank}, false);
    shift_ = parameters_.add("pairs.shift", {relations}, false);
    initialiser start{parameters_, seed};
    start.matrix(in_weight_);
    for (const block_layout& b : blocks_) start.block(b, c.depth);
    if (c.relation) start.relation(relation_, c);
    start.ones(norm_weight_);
    start.matrix(out_weight_);
    for (float& w : parameters_.of(scale_)) w = 1.0F / std::sqrt(static_cast<float>(config_.rank));
    for (float& b : parameters_.of(shift_)) b = -3.0F;  // most pairs share little
  }

  [[nodiscard]] const contextual_config& config() const { return config_; }
  [[nodiscard]] nn::parameters& parameters() { return parameters_; }
  [[nodiscard]] const nn::parameters& parameters() const { return parameters_; }
  /// D.
  [[nodiscard]] std::size_t hidden_size() const { return config_.hidden; }

  /// Memory of one call at a time; the pointers are set by each.
  struct scratch {
    training_memory blocks;
    buffer memory;
    float* inputs = nullptr;                             ///< [n, D + V + 2]
    float* scores = nullptr;                             ///< [depth, heads, n, padded n]
    float *y = nullptr, *statistics = nullptr;           ///< [n, W], [n, 2]
    float *projected = nullptr, *weighted = nullptr;     ///< [n, 2R + relations], [relations, R]
    float *dscores = nullptr, *dprojected = nullptr;     ///< as above, for training
    float *dweighted = nullptr, *dy = nullptr;           ///< as above
    float *transposed_out = nullptr, *slopes = nullptr;  ///< [2R + relations, W], [n, n]
    buffer transposes;
  };

  /// Throws invalid_argument for a context of a model of another shape.
  void check(const pair_context& context) const {
    const transformer_config& c = config_.blocks;
    const std::size_t n = context.size();
    expect_count(context.hidden.size(), n * config_.hidden, "numbers of hidden states");
    expect_count(context.log_p.size(), n * c.vocabulary, "log-probabilities");
    expect_count(context.entropies.size(), n, "entropies");
    for (const std::size_t i : context.positions)
      if (i >= c.max_length)
        throw invalid_argument("head on pairs: position " + std::to_string(i) +
                               ", expected less than max_length = " + std::to_string(c.max_length));
  }
  /// Makes room for estimates of n positions.
  void reserve(scratch& s, std::size_t n) const { lay_out(s, n, false); }

  /// The estimates of the pairs of m chosen ones of the n positions, out [m, m], symmetric, 0 on the diagonal.
  void operator()(const pair_context& context, std::span<const std::size_t> chosen, scratch& s, std::span<double> out) const {
    check(context);
    check_chosen(context, chosen, out);
    const std::size_t m = chosen.size();
    if (m == 0) return;
    project(context, s, false);
    for (std::size_t a = 0; a < m; ++a) out[a * m + a] = 0;
    for (std::size_t a = 0; a < m; ++a) {
      weigh(s, chosen[a]);
      for (std::size_t b = 0; b < m; ++b)
        if (a != b) out[a * m + b] = static_cast<double>(score(context, s, chosen[a], chosen[b]));
    }
    for (std::size_t a = 0; a < m; ++a)
      for (std::size_t b = 0; b < a; ++b)
        out[a * m + b] = out[b * m + a] = cap(context, chosen[a], chosen[b]) * logistic((out[a * m + b] + out[b * m + a]) / 2);
  }

  /// Returns the loss of one example, and adds its gradient.
  double loss_and_gradient(const pair_example& example, const pair_loss& loss, scratch& s, std::span<float> gradient) const {
    const pair_context& context = example.context;
    check(context);
    const std::size_t n = context.size();
    if (n < 2) return 0;
    const std::size_t r = config_.rank;
    const std::size_t relations = config_.relations();
    const std::size_t outputs = config_.outputs();
    const float* from = parameters_.values().data();
    float* to = gradient.data();
    project(context, s, true);
    for (std::size_t i = 0; i < n; ++i) {
      weigh(s, i);
      for (std::size_t j = 0; j < n; ++j) s.slopes[i * n + j] = i == j ? 0.0F : score(context, s, i, j);
    }
    double total = 0;
    for (std::size_t i = 0; i < n; ++i)  // scores become their gradients
      for (std::size_t j = 0; j < i; ++j) {
        float& there = s.slopes[i * n + j];
        float& back = s.slopes[j * n + i];
        const double w = static_cast<double>(example.weights[i * n + j]);
        const double most = cap(context, i, j);
        if (w == 0) {
          there = back = 0;
          continue;
        }
        const double share = logistic((static_cast<double>(there) + static_cast<double>(back)) / 2);
        const auto [value, slope] = loss(most * share, static_cast<double>(example.targets[i * n + j]));
        total += w * value;
        there = back = static_cast<float>(w * slope * most * share * (1 - share) / 2);
      }
    std::fill_n(s.dprojected, n * outputs, 0.0F);
    for (std::size_t i = 0; i < n; ++i) {
      weigh(s, i);
      std::fill_n(s.dweighted, relations * r, 0.0F);
      float* dmine = s.dprojected + i * outputs;
      for (std::size_t j = 0; j < n; ++j) {
        const float d = s.slopes[i * n + j];
        if (d == 0) continue;
        const std::size_t c = relation(context, i, j);
        add_times(r, s.dprojected + j * outputs + r, s.weighted + c * r, d);
        add_times(r, s.dweighted + c * r, s.projected + j * outputs + r, d);
        dmine[2 * r + c] += d;
        to[shift_.offset + c] += d;
      }
      for (std::size_t c = 0; c < relations; ++c) {
        simd::accumulate(r, dmine, s.dweighted + c * r, from + scale_.offset + c * r);
        simd::accumulate(r, to + scale_.offset + c * r, s.dweighted + c * r, s.projected + i * outputs);
      }
    }
    back_through_blocks(context, s, to);
    return total;
  }

 private:
  static double logistic(double x) { return x >= 0 ? 1 / (1 + std::exp(-x)) : std::exp(x) / (1 + std::exp(x)); }
  static double cap(const pair_context& context, std::size_t i, std::size_t j) {
    return static_cast<double>(std::max(std::min(context.entropies[i], context.entropies[j]), 0.0F));
  }
  /// out += a * factor.
  static void add_times(std::size_t n, float* out, const float* a, float factor) {
    const simd::packet f = simd::fill(factor);
    simd::map(
        n, out, [&](const auto& total, const auto& x) { return simd::multiply_add(x, f, total); }, out, a);
  }

  [[nodiscard]] std::size_t relation(const pair_context& context, std::size_t i, std::size_t j) const {
    if (!config_.blocks.relation) return 0;
    return config_.blocks.relation->ids[context.positions[i] * config_.blocks.max_length + context.positions[j]];
  }

  /// Queries of position i, weighted for each relation.
  void weigh(scratch& s, std::size_t i) const {
    const std::size_t r = config_.rank;
    const float* scale = parameters_.values().data() + scale_.offset;
    for (std::size_t c = 0; c < config_.relations(); ++c)
      simd::map(
          r, s.weighted + c * r, [](const auto& a, const auto& b) { return simd::multiply(a, b); },
          s.projected + i * config_.outputs(), scale + c * r);
  }
  /// t_ij.
  [[nodiscard]] float score(const pair_context& context, const scratch& s, std::size_t i, std::size_t j) const {
    const std::size_t r = config_.rank;
    const std::size_t c = relation(context, i, j);
    const float product = simd::sum_of(
        r, [](const auto& a, const auto& b) { return simd::multiply(a, b); }, s.weighted + c * r,
        s.projected + j * config_.outputs() + r);
    return product + s.projected[i * config_.outputs() + 2 * r + c] + parameters_.values()[shift_.offset + c];
  }

  void lay_out(scratch& s, std::size_t n, bool training) const {
    const transformer_config& c = config_.blocks;
    const std::array<std::size_t, 2> row{0, n};
    s.blocks.lay_out(c, row, 0, 0, 1);
    const std::size_t scores = c.relation ? c.depth * c.heads * n * simd::padded(n) : 0;
    const auto assign = [&](pieces p) {
      s.inputs = p.take(n * config_.inputs());
      s.scores = p.take(scores);
      s.y = p.take(n * c.width);
      s.statistics = p.take(2 * n);
      s.projected = p.take(n * config_.outputs());
      s.weighted = p.take(config_.relations() * config_.rank);
      if (training) {
        s.dscores = p.take(scores);
        s.dprojected = p.take(n * config_.outputs());
        s.dweighted = p.take(config_.relations() * config_.rank);
        s.dy = p.take(n * c.width);
        s.transposed_out = p.take(c.width * config_.outputs());
        s.slopes = p.take(n * n);
      }
      return p.total();
    };
    const std::size_t total = assign(pieces{});
    assign(pieces{s.memory.reserve(total)});
  }

  [[nodiscard]] attention_scores<float> scores_of(float* base, std::size_t layer, std::size_t n) const {
    if (!config_.blocks.relation) return {};
    const std::size_t stride = simd::padded(n);
    return {base + layer * config_.blocks.heads * n * stride, n, stride};
  }

  /// f(the relation's number, the score) for each score of a layer.
  template <class Float, class F>
  void for_each_score(const pair_context& context, attention_scores<Float> scores, const F& f) const {
    const std::size_t n = context.size();
    for (std::size_t h = 0; h < config_.blocks.heads; ++h)
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j) f(h * config_.relations() + relation(context, i, j), scores.at(h, i)[j]);
  }

  /// From the context to queries, keys and numbers.
  void project(const pair_context& context, scratch& s, bool training) const {
    const transformer_config& c = config_.blocks;
    const std::size_t n = context.size();
    const float* from = parameters_.values().data();
    lay_out(s, n, training);
    for (std::size_t i = 0; i < n; ++i) {
      float* row = s.inputs + i * config_.inputs();
      row = std::copy_n(context.hidden.data() + i * config_.hidden, config_.hidden, row);
      for (std::size_t v = 0; v < c.vocabulary; ++v)  // about as large as the hidden states
        *row++ = std::max(context.log_p[i * c.vocabulary + v], lowest) / 4;
      *row++ = context.entropies[i];
      *row++ = std::log(std::max(context.entropies[i], 1e-5F)) / 4;
    }
    const std::array<std::size_t, 2> offsets{0, n};
    const std::vector<block_record>& records = s.blocks.records;
    linear_forward(n, config_.inputs(), c.width, s.inputs, from + in_weight_.offset, from + in_bias_.offset, records[0].x);
    for (std::size_t l = 0; l < c.depth; ++l) {
      const attention_scores<float> scores = scores_of(s.scores, l, n);
      if (c.relation) {
        const float* numbers = from + relation_.offset + l * c.heads * config_.relations();
        std::fill_n(scores.data, c.heads * n * scores.stride, 0.0F);
        for_each_score(context, scores, [&](std::size_t k, float& score) { score = numbers[k]; });
      }
      block_forward(c, {blocks_[l % c.own_blocks()], from}, offsets, {scores.data, scores.rows, scores.stride}, nullptr,
                    records[l], l + 1 < c.depth ? records[l + 1].x : s.blocks.last);
    }
    norm_forward(n, c.width, s.blocks.last, from + norm_weight_.offset,
                 norm_bias_.size == 0 ? nullptr : from + norm_bias_.offset, c.norm_epsilon, s.y, s.statistics);
    linear_forward(n, c.width, config_.outputs(), s.y, from + out_weight_.offset, from + out_bias_.offset, s.projected);
  }

  void back_through_blocks(const pair_context& context, scratch& s, float* to) const {
    const transformer_config& c = config_.blocks;
    const std::size_t n = context.size();
    const float* from = parameters_.values().data();
    linear_backward_weight(n, c.width, config_.outputs(), s.y, s.dprojected, to + out_weight_.offset, to + out_bias_.offset);
    transpose(c.width, config_.outputs(), from + out_weight_.offset, s.transposed_out);
    linear_backward_input(n, c.width, config_.outputs(), s.dprojected, s.transposed_out, s.dy);
    std::fill_n(s.blocks.dx, n * c.width, 0.0F);
    norm_backward(n, c.width, s.blocks.last, s.statistics, from + norm_weight_.offset, s.dy, s.blocks.dx,
                  to + norm_weight_.offset, norm_bias_.size == 0 ? nullptr : to + norm_bias_.offset);
    const std::array<std::size_t, 2> offsets{0, n};
    const std::size_t d = c.width;
    pieces p{s.transposes.reserve(4 * d * d + d * c.up_width() + d * c.feed_forward + 64)};
    const block_transposes transposed{p.take(3 * d * d), p.take(d * d), p.take(d * c.up_width()), p.take(d * c.feed_forward)};
    for (std::size_t l = c.depth; l-- > 0;) {
      const block_layout& layout = blocks_[l % c.own_blocks()];
      transpose_block(c, {layout, from}, transposed);
      const attention_scores<float> dscores = scores_of(s.dscores, l, n);
      if (c.relation) std::fill_n(dscores.data, c.heads * n * dscores.stride, 0.0F);
      block_backward(c, {layout, from}, transposed, offsets, nullptr, s.blocks.records[l], s.blocks.scratch, s.blocks.dx,
                     {layout, to}, dscores);
      if (c.relation) {
        float* numbers = to + relation_.offset + l * c.heads * config_.relations();
        for_each_score(context, dscores, [&](std::size_t k, float d_score) { numbers[k] += d_score; });
      }
    }
    linear_backward_weight(n, config_.inputs(), c.width, s.inputs, s.blocks.dx, to + in_weight_.offset, to + in_bias_.offset);
  }

  contextual_config config_;
  nn::parameters parameters_;
  parameter in_weight_, in_bias_, relation_, norm_weight_, norm_bias_, out_weight_, out_bias_, scale_, shift_;
  std::vector<block_layout> blocks_;
};

}  // namespace lacuna::nn
