/// @file
/// @brief order::learned: which positions to reveal now is what a trained head says, from the pass that decodes anyway.
///
/// The head gives each masked position a probability pi of being revealed in this step; there are at most `steps` steps, and
/// the last one reveals all that is left. So it takes as many passes as it thinks the sequence needs, where order::top_k takes
/// as many as it is told. Choose it where there is a trained head (train::order); heuristics on confidence need none.
///
/// - `by_chance{temperature}`: each position with probability sigmoid(logit / temperature), apart from the others, as the order
///   was trained to be drawn. A low temperature (.25) makes up its mind.
/// - `at_least{threshold}`: those with pi >= threshold: no chance, the same order each time.
///
/// Where none comes out of it, the position with the largest pi is revealed. Positions are chosen in descending order of pi.
/// ```cpp
/// lacuna::compose(lacuna::order::learned{head, 5}, lacuna::draw::argmax{});                                  // at most 5
/// passes lacuna::compose(lacuna::order::learned{head, 5, lacuna::order::at_least{0.5}}, lacuna::draw::argmax{});
/// ```
/// Needs a hidden_state_model. Cost: 1 to `steps` passes (in a block: of each block), none of them the head's. Copies share the
/// head. Errors: steps = 0, temperature not more than 0, a threshold outside [0, 1]; at the first step, hidden states of
/// another size than the head's. Source: learned generation orders by variational inference; the choices beside by_chance{1}
/// are ours.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "lacuna/concepts/reveal_head.hpp"
#include "lacuna/concepts/validate.hpp"
#include "lacuna/core/errors.hpp"
#include "lacuna/core/random.hpp"
#include "lacuna/core/selection.hpp"
#include "lacuna/core/statistics.hpp"
#include "lacuna/core/step_view.hpp"

namespace lacuna::order {

/// Reveals each position with its probability.
struct by_chance {
  double temperature = 1;

  [[nodiscard]] bool reveals(double logit, random_stream rng) const {
    return rng.bernoulli(1 / (1 + std::exp(-logit / temperature)));
  }
  void validate() const {
    if (!(temperature > 0 && std::isfinite(temperature)))
      throw invalid_argument("order::by_chance: temperature = " + std::to_string(temperature) + ", expected more than 0");
  }
};

/// Reveals the positions whose probability is large enough.
struct at_least {
  double threshold = 0.5;

  [[nodiscard]] bool reveals(double logit, const random_stream&) const { return 1 / (1 + std::exp(-logit)) >= threshold; }
  void validate() const {
    if (!(threshold >= 0 && threshold <= 1))
      throw invalid_argument("order::at_least: threshold = " + std::to_string(threshold) + ", expected 0 to 1");
  }
};

/// choice.reveals(logit, random_stream of the position) -> bool.
template <class C>
concept reveal_choice = std::copy_constructible<C> && requires(const C& choice, double logit, const random_stream& rng) {
  { choice.reveals(logit, rng) } -> std::convertible_to<bool>;
};

template <reveal_head Head, reveal_choice Choice = by_chance>
class learned {
 public:
  static constexpr statistics needs = statistics::hidden | statistics::confidence | statistics::entropy | statistics::margin;

  learned(Head head, std::size_t steps, Choice choice = {})
      : head_{std::make_shared<const Head>(std::move(head))}, steps_{steps}, choice_{std::move(choice)} {}

  /// Scratch of one row of a batch; keeps nothing from step to step.
  struct memory {
    std::vector<float> hidden, features;
    std::vector<double> logits;
    std::vector<std::size_t> chosen;
    typename Head::scratch scratch;
  };

  void select(const step_view& view, memory& m, selection& out, const step_random& rng) const {
    if (const std::size_t expected = head_->hidden_size(); expected != 0 && view.width != expected)
      throw invalid_argument("order::learned: hidden states of " + std::to_string(view.width) + " numbers, expected " +
                             std::to_string(expected) + ", those the head was trained on");
    if (view.step + 1 >= steps_) {
      for (std::size_t k = 0; k < view.size(); ++k) out.add(k);
      return;
    }
    look(view, m);
    m.chosen.clear();
    std::size_t best = 0;
    for (std::size_t k = 0; k < view.size(); ++k) {
      if (m.logits[k] > m.logits[best]) best = k;
      if (choice_.reveals(m.logits[k], rng.at(view.positions[k]))) m.chosen.push_back(k);
    }
    if (m.chosen.empty()) m.chosen.push_back(best);
    std::sort(m.chosen.begin(), m.chosen.end(),
              [&](std::size_t a, std::size_t b) { return m.logits[a] != m.logits[b] ? m.logits[a] > m.logits[b] : a < b; });
    for (const std::size_t k : m.chosen) out.add(k);
  }

  void validate() const {
    if (steps_ == 0) throw invalid_argument("order::learned: steps = 0, expected at least 1");
    lacuna::validate(choice_);
  }

  [[nodiscard]] const Head& head() const { return *head_; }
  [[nodiscard]] std::size_t steps() const { return steps_; }

 private:
  /// Asks the head. Room is for all that is masked, so that later steps, which may have more candidates, allocate nothing.
  void look(const step_view& view, memory& m) const {
    const std::size_t most = std::max(view.size(), view.sequence->count(cell::masked));
    m.hidden.reserve(most * view.width);
    m.features.reserve(most * reveal_feature_count);
    m.logits.reserve(most);
    m.chosen.reserve(most);
    if constexpr (requires { head_->reserve(m.scratch, most); }) head_->reserve(m.scratch, most);
    m.hidden.clear();
    m.features.clear();
    for (std::size_t k = 0; k < view.size(); ++k) {
      const std::span<const float> h = view.hidden(k);
      m.hidden.insert(m.hidden.end(), h.begin(), h.end());
      const auto f = reveal_features(view.confidence(k), view.entropy(k), view.margin(k));
      m.features.insert(m.features.end(), f.begin(), f.end());
    }
    m.logits.assign(view.size(), 0.0);
    const double elapsed = static_cast<double>(view.step) / static_cast<double>(steps_);
    (*head_)(reveal_context{view.positions, m.hidden, m.features, elapsed}, m.scratch, m.logits);
  }

  std::shared_ptr<const Head> head_;
  std::size_t steps_;
  Choice choice_;
};

}  // namespace lacuna::order
