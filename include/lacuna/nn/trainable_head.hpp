/// @file
/// @brief A head on pairs as a model that train::run trains, with threads.
///
/// Threads take examples of their own; each has a gradient of its own, and these are added in a fixed order: the result is
/// deterministic for a given number of threads. Errors: invalid_argument for examples that the head does not take.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "lacuna/core/errors.hpp"
#include "lacuna/nn/pair_example.hpp"
#include "lacuna/nn/pair_head.hpp"
#include "lacuna/nn/pair_loss.hpp"
#include "lacuna/nn/parameters.hpp"
#include "lacuna/nn/threads.hpp"

namespace lacuna::nn {

/// Refers to the head.
template <pair_head Head>
class trainable_head {
 public:
  explicit trainable_head(Head& head, pair_loss loss = {}, std::size_t threads = 1)
      : head_{&head}, loss_{loss}, team_{std::make_unique<thread_team>(threads)}, workers_(threads) {
    loss_.validate();
    if (threads == 0) throw invalid_argument("trainable_head: got 0 threads, expected at least 1");
  }

  [[nodiscard]] nn::parameters& parameters() { return head_->parameters(); }

  /// Sum over pairs of weight x loss; its gradient is added.
  double loss_and_gradient(std::span<const pair_example> examples, std::span<float> gradient) {
    expect_count(gradient.size(), parameters().values().size(), "places for the gradient");
    for (const pair_example& e : examples) {  // here, for a thread must not throw
      head_->check(e.context);
      check_pairs(e);
    }
    team_->run([&](std::size_t i) {
      worker& w = workers_[i];
      w.loss = 0;
      if (i != 0) w.gradient.assign(gradient.size(), 0.0F);
      const share mine{i, team_->size()};
      for (std::size_t e = mine.begin(examples.size()); e < mine.end(examples.size()); ++e)
        w.loss += head_->loss_and_gradient(examples[e], loss_, w.scratch, i == 0 ? gradient : std::span<float>{w.gradient});
    });
    double loss = 0;
    for (std::size_t i = 0; i < workers_.size(); ++i) {
      loss += workers_[i].loss;
      if (i != 0)
        std::transform(gradient.begin(), gradient.end(), workers_[i].gradient.begin(), gradient.begin(),
                       [](float a, float b) { return a + b; });
    }
    return loss;
  }

 private:
  struct worker {
    typename Head::scratch scratch;
    std::vector<float> gradient;
    double loss = 0;
  };

  Head* head_;
  pair_loss loss_;
  std::unique_ptr<thread_team> team_;
  std::vector<worker> workers_;
};

}  // namespace lacuna::nn
