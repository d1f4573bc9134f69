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
/// invalid_argument for a context that does not hold together or that the model does not take; those of the model.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "lacuna/concepts/hidden_state_model.hpp"
#include "lacuna/concepts/model_facts.hpp"
#include "lacuna/core/cost.hpp"
#include "lacuna/core/errors.hpp"
#include "lacuna/core/random.hpp"
#include "lacuna/core/row.hpp"
#include "lacuna/core/token.hpp"
#include "lacuna/nn/pair_example.hpp"
#include "lacuna/sample/scorer.hpp"
#include "lacuna/sample/scoring_queue.hpp"
#include "lacuna/train/labelled_context.hpp"

namespace lacuna::train {

class pair_examples {
 public:
  /// Appends contexts, in calls of the model of at most so many rows. Those with fewer than two masked positions or none that
  /// was probed are left out. If something is thrown, those of earlier calls are in.
  template <hidden_state_model M>
  void add(M& model, std::span<const labelled_context> contexts, std::size_t rows_per_call = 64) {
    if (rows_per_call == 0) throw invalid_argument("pairs: rows_per_call = 0, expected at least 1");
    const model_facts facts = facts_of(model);
    std::vector<const labelled_context*> labels;
    std::vector<std::vector<std::size_t>> positions;
    for (const labelled_context& c : contexts) {
      std::vector<std::size_t> masked = c.masked_positions();
      check(c, masked, facts);
      if (masked.size() < 2 || c.probed.empty()) continue;
      labels.push_back(&c);
      positions.push_back(std::move(masked));
    }
    scorer<M> score(model, facts);
    scoring_queue queue;
    std::vector<double> log_p(facts.vocabulary);
    for (std::size_t first = 0; first < labels.size(); first += rows_per_call) {
      queue.clear();
      std::vector<owned> some(std::min(rows_per_call, labels.size() - first));
      for (std::size_t r = 0; r < some.size(); ++r) {
        const std::vector<token>& tokens = labels[first + r]->tokens;
        owned& o = some[r];
        o.positions = std::move(positions[first + r]);
        o.length = tokens.size();
        o.hidden.resize(o.positions.size() * score.hidden_width());
        o.log_p.resize(o.positions.size() * facts.vocabulary);
        o.entropies.resize(o.positions.size());
        const std::span<token> row = queue.add(r, purpose::decode, tokens.size());
        for (std::size_t i = 0; i < row.size(); ++i) row[i] = tokens[i] == labelled_context::masked ? facts.mask : tokens[i];
        for (const std::size_t i : o.positions) queue.want(i);
      }
      score.score_with_hidden(
          queue,
          [&](std::size_t r, std::size_t k, std::span<const float> logits) {
            owned& o = some[r];
            if (!log_softmax(logits, facts.forbidden, log_p))
              throw model_error("labelled context: position " + std::to_string(o.positions[k]) + " has no finite logit");
            o.entropies[k] = static_cast<float>(entropy(log_p));
            std::transform(log_p.begin(), log_p.end(), o.log_p.begin() + static_cast<std::ptrdiff_t>(k * log_p.size()),
                           [](double v) { return static_cast<float>(v); });
          },
          [&](std::size_t r, std::size_t k, std::span<const float> h) {
            std::copy(h.begin(), h.end(), some[r].hidden.begin() + static_cast<std::ptrdiff_t>(k * h.size()));
          });
      for (std::size_t r = 0; r < some.size(); ++r) some[r].make_targets(*labels[first + r]);
      std::move(some.begin(), some.end(), std::back_inserter(owned_));
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

    void make_targets(const labelled_context& label) {
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
          for (const std::size_t pair : {a * n + b, b * n + a}) {
            targets[pair] = weights[pair] == 0 ? value : (targets[pair] + value) / 2;
            weights[pair] += 0.5F;
          }
        }
      }
    }
  };

  static void check(const labelled_context& c, const std::vector<std::size_t>& masked, const model_facts& facts) {
    const auto refuse = [](const std::string& got, const std::string& expected) {
      throw invalid_argument("labelled context: " + got + ", expected " + expected);
    };
    if (facts.max_length && c.tokens.size() > *facts.max_length)
      refuse(std::to_string(c.tokens.size()) + " tokens", "at most " + std::to_string(*facts.max_length));
    for (const token t : c.tokens)
      if (t != labelled_context::masked && (t < 0 || static_cast<std::size_t>(t) >= facts.vocabulary))
        refuse("token " + std::to_string(t), "less than " + std::to_string(facts.vocabulary));
    for (std::size_t k = 0; k < c.probed.size(); ++k) {
      if (!std::binary_search(masked.begin(), masked.end(), c.probed[k]))
        refuse("position " + std::to_string(c.probed[k]) + " was probed", "a masked one");
      if (k > 0 && c.probed[k] <= c.probed[k - 1])
        refuse("position " + std::to_string(c.probed[k]) + " was probed after " + std::to_string(c.probed[k - 1]),
               "ascending ones");
    }
    if (c.information.size() != c.probed.size() * masked.size())
      refuse(std::to_string(c.information.size()) + " numbers",
             std::to_string(c.probed.size()) + " x " + std::to_string(masked.size()));
    for (std::size_t i = 0; i < c.information.size(); ++i)
      if (!std::isfinite(c.information[i]))
        refuse("information " + std::to_string(c.information[i]) + " of positions " +
                   std::to_string(c.probed[i / masked.size()]) + " and " + std::to_string(masked[i % masked.size()]),
               "a finite number of nats");
  }

  std::vector<owned> owned_;  // examples refer to what these own, which stays where it is
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
