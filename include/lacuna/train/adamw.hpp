/// @file
/// @brief AdamW: Adam with decoupled weight decay (Loshchilov and Hutter, "Decoupled Weight Decay Regularization", ICLR 2019).
///
/// For every parameter w with gradient g, at update t = 1, 2, …:
///   m <- b1 m + (1 - b1) g;   v <- b2 v + (1 - b2) g^2
///   w <- w - rate * ( (m / (1 - b1^t)) / (sqrt(v / (1 - b2^t)) + epsilon) + decay * w )
/// with decay only where `parameter::decayed` says so (matrices, not biases, norms or embeddings).
/// Cost: one pass over four arrays, in blocks of 16 floats that go to the vector units whole, wherever the arrays lie in
/// memory: the same numbers come out bit for bit on every run.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include <Eigen/Core>

#include "lacuna/nn/parameters.hpp"

namespace lacuna::train {

/// The moments of the gradient, in the layout of the parameters, and the number of updates so far.
struct adamw_state {
  std::vector<float> first;
  std::vector<float> second;
  std::size_t updates = 0;
};

/// The optimiser's constants; its memory is an `adamw_state`.
struct adamw {
  double beta1 = 0.9;
  double beta2 = 0.98;
  double epsilon = 1e-8;
  double decay = 0.01;

  [[nodiscard]] adamw_state init(const nn::parameters& parameters) const {
    const std::size_t n = parameters.values().size();
    return {std::vector<float>(n), std::vector<float>(n), 0};
  }

  /// One update with `gradient_scale * gradient`.
  void step(nn::parameters& parameters, std::span<const float> gradient, adamw_state& state, double rate,
            double gradient_scale = 1) const {
    ++state.updates;
    const auto t = static_cast<double>(state.updates);
    const double correction1 = 1 - std::pow(beta1, t);
    const double correction2 = 1 - std::pow(beta2, t);
    constants c{static_cast<float>(beta1),
                static_cast<float>((1 - beta1) * gradient_scale),
                static_cast<float>(beta2),
                static_cast<float>((1 - beta2) * gradient_scale * gradient_scale),
                static_cast<float>(rate / correction1),
                static_cast<float>(1 / std::sqrt(correction2)),
                static_cast<float>(epsilon),
                0};
    for (const nn::parameter& p : parameters.list()) {
      c.kept = p.decayed ? static_cast<float>(1 - rate * decay) : 1.0F;
      update(parameters.of(p).data(), gradient.data() + p.offset, state.first.data() + p.offset, state.second.data() + p.offset,
             p.size, c);
    }
  }

 private:
  struct constants {
    float beta1, fresh1, beta2, fresh2, rate, second_scale, epsilon, kept;
  };
  static constexpr std::size_t block = 16;
  using floats = Eigen::Array<float, static_cast<int>(block), 1>;

  static void update(float* w, const float* g, float* m, float* v, std::size_t n, const constants& c) {
    std::size_t i = 0;
    for (; i + block <= n; i += block) update_block(w + i, g + i, m + i, v + i, c);
    if (i == n) return;
    // The rest goes through the same arithmetic, padded.
    const std::size_t rest = n - i;
    float buffer[4][block] = {};
    std::copy_n(w + i, rest, buffer[0]);
    std::copy_n(g + i, rest, buffer[1]);
    std::copy_n(m + i, rest, buffer[2]);
    std::copy_n(v + i, rest, buffer[3]);
    update_block(buffer[0], buffer[1], buffer[2], buffer[3], c);
    std::copy_n(buffer[0], rest, w + i);
    std::copy_n(buffer[2], rest, m + i);
    std::copy_n(buffer[3], rest, v + i);
  }

  static void update_block(float* w_data, const float* g_data, float* m_data, float* v_data, const constants& c) {
    Eigen::Map<floats> w{w_data}, m{m_data}, v{v_data};
    const floats g = Eigen::Map<const floats>{g_data};
    const floats new_m = c.beta1 * m + c.fresh1 * g;
    const floats new_v = c.beta2 * v + c.fresh2 * g.square();
    m = new_m;
    v = new_v;
    w = c.kept * w - c.rate * new_m / (new_v.sqrt() * c.second_scale + c.epsilon);
  }
};

}  // namespace lacuna::train
