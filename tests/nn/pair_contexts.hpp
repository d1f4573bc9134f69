/// @file
/// @brief Random contexts for heads on pairs, and what every such head is held to.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "comparing.hpp"
#include "lacuna/core/scatter.hpp"
#include "lacuna/nn/pair_example.hpp"
#include "lacuna/nn/pair_head.hpp"

namespace pair_contexts {

namespace nn = lacuna::nn;

/// Owns what a pair_example views.
struct owned_example {
  std::vector<std::size_t> positions;
  std::vector<float> hidden, log_p, entropies, targets, weights;
  [[nodiscard]] std::size_t size() const { return positions.size(); }
  [[nodiscard]] nn::pair_context context() const { return {positions, hidden, log_p, entropies}; }
  [[nodiscard]] nn::pair_example view() const { return {context(), targets, weights}; }
};

/// n positions, two apart; of each row of [V] one token is impossible; a third of the pairs weighs 0, a half or 1.
inline owned_example random_example(std::size_t n, std::size_t hidden, std::size_t vocabulary, std::uint64_t seed) {
  owned_example e;
  e.hidden = comparing::numbers(n * hidden, 10 * seed);
  e.log_p = comparing::numbers(n * vocabulary, 10 * seed + 1, 1.5);
  for (std::size_t i = 0; i < n; ++i) {
    e.positions.push_back(2 * i + seed % 2);
    float* row = e.log_p.data() + i * vocabulary;
    row[i % vocabulary] = -std::numeric_limits<float>::infinity();
    double total = 0;
    for (std::size_t v = 0; v < vocabulary; ++v) total += std::exp(static_cast<double>(row[v]));
    double entropy = 0;
    for (std::size_t v = 0; v < vocabulary; ++v) {
      row[v] -= static_cast<float>(std::log(total));
      if (std::isfinite(row[v])) entropy -= std::exp(static_cast<double>(row[v])) * static_cast<double>(row[v]);
    }
    e.entropies.push_back(static_cast<float>(entropy));
  }
  e.targets.assign(n * n, 0.0F);
  e.weights.assign(n * n, 0.0F);
  for (std::size_t a = 0; a < n; ++a)
    for (std::size_t b = 0; b < a; ++b) {
      const std::uint64_t bits = lacuna::scatter(seed * 1000 + a * n + b);
      e.weights[a * n + b] = e.weights[b * n + a] = static_cast<float>(bits % 3) / 2;
      e.targets[a * n + b] = e.targets[b * n + a] = static_cast<float>(bits / 3 % 100) / 250;
    }
  return e;
}

/// The same context with its positions in another order: number k is what number order[k] was.
inline owned_example permuted(const owned_example& e, const std::vector<std::size_t>& order) {
  const std::size_t n = e.size();
  const std::size_t d = e.hidden.size() / n;
  const std::size_t v = e.log_p.size() / n;
  owned_example out;
  for (const std::size_t k : order) {
    out.positions.push_back(e.positions[k]);
    out.entropies.push_back(e.entropies[k]);
    out.hidden.insert(out.hidden.end(), e.hidden.data() + k * d, e.hidden.data() + (k + 1) * d);
    out.log_p.insert(out.log_p.end(), e.log_p.data() + k * v, e.log_p.data() + (k + 1) * v);
  }
  return out;
}

inline std::vector<std::size_t> everything(std::size_t n) {
  std::vector<std::size_t> all(n);
  std::iota(all.begin(), all.end(), std::size_t{0});
  return all;
}

template <nn::pair_head Head>
std::vector<double> estimates(const Head& head, const nn::pair_context& context, const std::vector<std::size_t>& chosen,
                              typename Head::scratch& scratch) {
  std::vector<double> out(chosen.size() * chosen.size(), -1.0);
  head(context, chosen, scratch, out);
  return out;
}
template <nn::pair_head Head>
std::vector<double> estimates(const Head& head, const nn::pair_context& context, const std::vector<std::size_t>& chosen) {
  typename Head::scratch scratch;
  return estimates(head, context, chosen, scratch);
}
template <nn::pair_head Head>
std::vector<double> estimates(const Head& head, const owned_example& e) {
  return estimates(head, e.context(), everything(e.size()));
}

/// Parameters that differ from where they start: biases are not 0, norms not 1.
template <nn::pair_head Head>
void stir(Head& head, std::uint64_t stream) {
  const std::vector<float> noise = comparing::numbers(head.parameters().values().size(), stream, 0.2);
  for (std::size_t i = 0; i < noise.size(); ++i) head.parameters().values()[i] += noise[i];
}

/// Loss of an example from estimates [n, n] in double, as pair_example.hpp says.
inline double loss_of(const owned_example& e, const std::vector<double>& estimates, const nn::pair_loss& loss) {
  double total = 0;
  for (std::size_t a = 0; a < e.size(); ++a)
    for (std::size_t b = 0; b < a; ++b) {
      const std::size_t at = a * e.size() + b;
      if (e.weights[at] == 0) continue;
      total += static_cast<double>(e.weights[at]) * loss(estimates[at], static_cast<double>(e.targets[at])).value;
    }
  return total;
}

/// The greatest difference of the head's gradient, in any tensor, from central differences of its plain loops in double,
/// `plain(parameters, example)`; and of its loss from theirs. In units of the greatest entry of the tensor, of the loss.
template <nn::pair_head Head, class Plain>
std::pair<double, std::string> gradient_error(Head& head, const Plain& plain, const owned_example& e,
                                              const nn::pair_loss& loss) {
  typename Head::scratch scratch;
  std::vector<float> gradient(head.parameters().values().size(), 0.25F);  // what is there stays
  const double got = head.loss_and_gradient(e.view(), loss, scratch, gradient);
  std::vector<double> x(head.parameters().values().begin(), head.parameters().values().end());
  const double expected = loss_of(e, plain(x, e), loss);
  std::pair<double, std::string> worst{std::abs(got - expected) / expected, "the loss"};
  for (const nn::parameter& p : head.parameters().list()) {
    const std::vector<double> start(x.begin() + static_cast<std::ptrdiff_t>(p.offset),
                                    x.begin() + static_cast<std::ptrdiff_t>(p.offset + p.size));
    std::vector<double> mine;
    for (std::size_t i = 0; i < p.size; ++i) mine.push_back(static_cast<double>(gradient[p.offset + i]) - 0.25);
    std::vector<double> moved = x;
    const double apart = comparing::from_differences(
        [&](const std::vector<double>& values) {
          std::copy(values.begin(), values.end(), moved.begin() + static_cast<std::ptrdiff_t>(p.offset));
          return loss_of(e, plain(moved, e), loss);
        },
        start, mine);
    if (!(apart <= worst.first)) worst = {apart, p.name};
  }
  return worst;
}

}  // namespace pair_contexts
