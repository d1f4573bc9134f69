/// @file
/// @brief The smallest trainable model: softmax regression from the previous token (or its mask) to the token of a position.
#pragma once

#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "lacuna/core/token.hpp"
#include "lacuna/nn/example_batch.hpp"
#include "lacuna/nn/parameters.hpp"

namespace lacuna_test {

/// logits(i) = table[input(i - 1 mod length)] + bias, [V + 1, V] and [V]; token V is the mask.
class toy_softmax {
 public:
  explicit toy_softmax(std::size_t vocabulary) : vocabulary_{vocabulary} {
    table_ = parameters_.add("table", {vocabulary + 1, vocabulary}, true);
    bias_ = parameters_.add("bias", {vocabulary}, false);
    for (std::size_t i = 0; i < table_.size; ++i) parameters_.of(table_)[i] = 0.1F * std::sin(static_cast<float>(i));
  }

  lacuna::nn::parameters& parameters() { return parameters_; }

  double loss_and_gradient(const lacuna::nn::example_batch& batch, std::span<float> gradient) {
    double loss = 0;
    std::vector<double> p(vocabulary_);
    for (std::size_t b = 0; b + 1 < batch.offsets.size(); ++b) {
      const std::size_t begin = batch.offsets[b];
      const std::size_t length = batch.offsets[b + 1] - begin;
      for (std::size_t i = 0; i < length; ++i) {
        const double weight = batch.weights[begin + i];
        if (weight == 0) continue;
        const auto previous = static_cast<std::size_t>(batch.inputs[begin + (i + length - 1) % length]);
        const auto target = static_cast<std::size_t>(batch.targets[begin + i]);
        double total = 0;
        for (std::size_t v = 0; v < vocabulary_; ++v) {
          p[v] = std::exp(static_cast<double>(parameters_.of(table_)[previous * vocabulary_ + v] + parameters_.of(bias_)[v]));
          total += p[v];
        }
        loss -= weight * std::log(p[target] / total);
        for (std::size_t v = 0; v < vocabulary_; ++v) {
          const auto g = static_cast<float>(weight * (p[v] / total - (v == target ? 1 : 0)));
          gradient[table_.offset + previous * vocabulary_ + v] += g;
          gradient[bias_.offset + v] += g;
        }
      }
    }
    return loss;
  }

 private:
  std::size_t vocabulary_;
  lacuna::nn::parameters parameters_;
  lacuna::nn::parameter table_, bias_;
};

/// Rows of length V that count up by one modulo V from a random start: a known token tells the next one, around the end too.
struct counting_rows {
  std::size_t vocabulary = 5;
  std::size_t rows = 8;

  template <class Batch, class Random>
  void operator()(std::size_t, Batch& batch, Random& random) const {
    const std::size_t length = vocabulary;
    std::vector<lacuna::token> inputs(length), targets(length);
    std::vector<float> weights(length);
    for (std::size_t r = 0; r < rows; ++r) {
      const std::size_t start = random.below(vocabulary);
      double masked = 0;
      for (std::size_t i = 0; i < length; ++i) {
        targets[i] = static_cast<lacuna::token>((start + i) % vocabulary);
        const bool mask = i == 0 || random.uniform() < 0.3;
        inputs[i] = mask ? static_cast<lacuna::token>(vocabulary) : targets[i];
        weights[i] = mask ? 1.0F : 0.0F;
        masked += mask ? 1 : 0;
      }
      batch.add(inputs, targets, weights, masked);
    }
  }
};

}  // namespace lacuna_test
