/// @file
/// @brief Labelled contexts with what the model shows of them: the examples that a head on pairs learns from.
///
/// ```cpp
/// lacuna::train::pair_examples known;
/// known.add(model, lacuna::train::read_chunks("labels", 100));
/// lacuna::train::pair_training_set source{known, 16};              // batches of 16 for train::run
/// ```
/// The target of a pair is the mean of the directions that were probed, each clamped to [0, min(H_i, H_j)]; its weight is 1
/// when both were, a half for one. Cost: one row of the model a context; memory n (D + V + 1) + 2 n² floats a context. Errors:
/// invalid_argument for a context that the model does not take; those of the model.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <vector>

#include "lacuna/concepts/hidden_state_model.hpp"
#include "lacuna/concepts/model_facts.hpp"
#include "lacuna/core/errors.hpp"
#include "lacuna/core/random.hpp"
#include "lacuna/core/row.hpp"
#include "lacuna/nn/pair_example.hpp"
#include "lacuna/sample/scorer.hpp"
#include "lacuna/sample/scoring_queue.hpp"
#include "lacuna/train/labelled_context.hpp"

namespace lacuna::train {

class pair_examples {
 public:
  /// Appends contexts, in calls of the model of at most so many rows. Those with fewer than two masked positions are left out.
  template <hidden_state_model M>
  void add(M& model, std::span<const labelled_context> contexts, std::size_t rows_per_call = 64) {
    const model_facts facts = facts_of(model);
    scorer<M> score(model, facts);
    scoring_queue queue;
    std::vector<double> log_p(facts.vocabulary);
    for (std::size_t first = 0; first < contexts.size(); first += rows_per_call) {
      queue.clear();
      const std::size_t base = owned_.size();
      for (const labelled_context& c : contexts.subspan(first, std::min(rows_per_call, contexts.size() - first))) {
        const std::vector<std::size_t> masked = c.masked_positions();
        if (masked.size() < 2) continue;
        check(c, masked, facts);
        const std::span<token> row = queue.add(owned_.size(), purpose::decode, c.tokens.size());
        for (std::size_t i = 0; i < row.size(); ++i)
          row[i] = c.tokens[i] == labelled_context::masked ? facts.mask : c.tokens[i];
        for (const std::size_t i : masked) queue.want(i);
        owned& o = owned_.emplace_back();
        o.length = c.tokens.size();
        o.hidden.resize(masked.size() * score.hidden_width());
        o.log_p.resize(masked.size() * facts.vocabulary);
        o.entropies.resize(masked.size());
        o.positions = masked;
        o.label = c;
      }
      score.score_with_hidden(
          queue,
          [&](std::size_t r, std::size_t k, std::span<const float> logits) {
            owned& o = owned_[base + r];
            if (!log_softmax(logits, facts.forbidden, log_p))
              throw model_error("labelled context: position " + std::to_string(o.positions[k]) + " has no finite logit");
            o.entropies[k] = static_cast<float>(entropy(log_p));
            std::transform(log_p.begin(), log_p.end(), o.log_p.begin() + static_cast<std::ptrdiff_t>(k * log_p.size()),
                           [](double v) { return static_cast<float>(v); });
          },
          [&](std::size_t r, std::size_t k, std::span<const float> h) {
            std::copy(h.begin(), h.end(), owned_[base + r].hidden.begin() + static_cast<std::ptrdiff_t>(k * h.size()));
          });
      for (std::size_t o = base; o < owned_.size(); ++o) owned_[o].make_targets();
    }
  }

  void clear() { owned_.clear(); }
  [[nodiscard]] std::size_t size() const { return owned_.size(); }
  /// Valid as long as this lives.
  [[nodiscard]] nn::pair_example operator[](std::size_t e) const {
    const owned& o = owned_[e];
    return {{o.positions, o.hidden, o.log_p, o.entropies}, o.targets, o.weights};
  }
  /// L of example e.
  [[nodiscard]] std::size_t length(std::size_t e) const { return owned_[e].length; }

 private:
  struct owned {
    std::size_t length = 0;
    std::vector<std::size_t> positions;
    std::vector<float> hidden, log_p, entropies, targets, weights;
    labelled_context label;  // until the targets are made

    void make_targets() {
      const std::size_t n = positions.size();
      targets.assign(n * n, 0.0F);
      weights.assign(n * n, 0.0F);
      for (std::size_t k = 0; k < label.probed.size(); ++k) {
        const auto at = std::lower_bound(positions.begin(), positions.end(), label.probed[k]);
        const auto a = static_cast<std::size_t>(at - positions.begin());
        for (std::size_t b = 0; b < n; ++b) {
          if (a == b) continue;
          const float cap = std::min(entropies[a], entropies[b]);
          const float value = std::clamp(label.information[k * n + b], 0.0F, cap);
          for (const std::size_t at_pair : {a * n + b, b * n + a}) {
            targets[at_pair] = weights[at_pair] == 0 ? value : (targets[at_pair] + value) / 2;
            weights[at_pair] += 0.5F;
          }
        }
      }
      label = {};
    }
  };

  static void check(const labelled_context& c, const std::vector<std::size_t>& masked, const model_facts& facts) {
    if (facts.max_length && c.tokens.size() > *facts.max_length)
      throw invalid_argument("labelled context: " + std::to_string(c.tokens.size()) + " tokens, expected at most " +
                             std::to_string(*facts.max_length));
    for (const token t : c.tokens)
      if (t != labelled_context::masked && (t < 0 || static_cast<std::size_t>(t) >= facts.vocabulary))
        throw invalid_argument("labelled context: token " + std::to_string(t) + ", expected less than " +
                               std::to_string(facts.vocabulary));
    if (c.information.size() != c.probed.size() * masked.size())
      throw invalid_argument("labelled context: " + std::to_string(c.information.size()) + " numbers, expected " +
                             std::to_string(c.probed.size()) + " x " + std::to_string(masked.size()));
  }

  std::deque<owned> owned_;  // examples refer to them
};

/// Some examples, seen together.
class pair_batch {
 public:
  void clear() {
    examples_.clear();
    units_ = 0;
  }
  void add(const nn::pair_example& e) {
    examples_.push_back(e);
    double sum = 0;
    const std::size_t n = e.context.size();
    for (std::size_t a = 0; a < n; ++a)
      for (std::size_t b = 0; b < a; ++b) sum += static_cast<double>(e.weights[a * n + b]);
    units_ += sum;
  }
  [[nodiscard]] std::size_t rows() const { return examples_.size(); }
  /// Pairs, as they weigh.
  [[nodiscard]] double units() const { return units_; }
  [[nodiscard]] std::span<const nn::pair_example> view() const { return examples_; }

 private:
  std::vector<nn::pair_example> examples_;
  double units_ = 0;
};

/// Batches of examples drawn at random, with replacement.
class pair_training_set {
 public:
  using batch = pair_batch;

  pair_training_set(const pair_examples& examples, std::size_t rows) : examples_{&examples}, rows_{rows} {
    if (examples.size() == 0) throw invalid_argument("pairs: 0 examples, expected at least 1");
    if (rows == 0) throw invalid_argument("pairs: a batch has 0 examples, expected at least 1");
  }
  void operator()(std::size_t /*step*/, pair_batch& out, random_stream& random) const {
    for (std::size_t r = 0; r < rows_; ++r) out.add((*examples_)[static_cast<std::size_t>(random.below(examples_->size()))]);
  }

 private:
  const pair_examples* examples_;
  std::size_t rows_;
};

}  // namespace lacuna::train
