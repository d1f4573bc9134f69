/// @file
/// @brief likelihood::learned_order: a lower bound of log p(x) under a learned order, for any model that shows hidden states.
///
/// The mean of the Rao-Blackwellised bound (likelihood/order_elbo.hpp) over paths drawn from a posterior with given scores of
/// the positions of x. A better posterior gives a closer bound, whatever the order; one that was trained with it is the one to
/// use. Compare with likelihood::masked_elbo, the bound of revealing one at a time in random order.
///
/// ```cpp
/// const auto b = lacuna::likelihood::learned_order(model, head, lacuna::likelihood::renormalised{}, scores, x, masked,
///                                                  {.steps = 5, .paths = 32});
/// b.nats; b.standard_error; b.reconstruction; b.divergence; b.steps; b.cost;
/// ```
/// Cost: a row for each step of each path, in calls of `rows_per_call`. Draws are keyed by seed, stream and path: the result
/// does not depend on the split into calls. Forbidden tokens are removed before the softmax. Errors: invalid_argument before
/// the first call; model_error for what breaks the contract, and for a masked position without a possible token. Source:
/// learned generation orders by variational inference.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "lacuna/concepts/hidden_state_model.hpp"
#include "lacuna/concepts/model_facts.hpp"
#include "lacuna/concepts/ragged_model.hpp"
#include "lacuna/concepts/reveal_head.hpp"
#include "lacuna/core/cost.hpp"
#include "lacuna/core/errors.hpp"
#include "lacuna/core/random.hpp"
#include "lacuna/core/row.hpp"
#include "lacuna/core/statistics.hpp"
#include "lacuna/core/token.hpp"
#include "lacuna/likelihood/bound.hpp"
#include "lacuna/likelihood/order_elbo.hpp"
#include "lacuna/likelihood/order_gradient.hpp"
#include "lacuna/likelihood/scored.hpp"
#include "lacuna/sample/scorer.hpp"
#include "lacuna/sample/scoring_queue.hpp"

namespace lacuna::likelihood {

struct learned_order_options {
  std::size_t steps = 5;   ///< T, the budget
  std::size_t paths = 32;  ///< that are averaged over
  std::uint64_t seed = 0;
  std::uint64_t stream = 0;  ///< names the sequence's random numbers
  std::size_t rows_per_call = 64;
};

/// A bound with its two parts, whose difference it is.
struct learned_order_bound : bound {
  double reconstruction = 0;  ///< nats that the tokens cost
  double divergence = 0;      ///< nats, of the posterior from the order
  double steps = 0;           ///< of a path, in the mean
};

/// `scores` [L], `masked` ascending: all other positions are given.
template <hidden_state_model M, reveal_head Head, reveal_posterior Q>
requires decodable_model<M> learned_order_bound learned_order(M& model, const Head& head, const Q& posterior,
                                                              std::span<const double> scores, std::span<const token> x,
                                                              std::span<const std::size_t> masked,
                                                              const learned_order_options& options = {}) {
  const model_facts facts = facts_of(model);
  check_scored(x, masked, facts);
  if (!std::is_sorted(masked.begin(), masked.end()))
    throw invalid_argument("likelihood::learned_order: masked positions are not ascending");
  if (scores.size() != x.size())
    throw invalid_argument("likelihood::learned_order: " + std::to_string(scores.size()) + " scores of a sequence of " +
                           std::to_string(x.size()) + " tokens");
  if (options.paths == 0) throw invalid_argument("likelihood::learned_order: paths = 0, expected at least 1");
  if (options.rows_per_call == 0) throw invalid_argument("likelihood::learned_order: rows_per_call = 0, expected at least 1");
  const std::size_t width = hidden_width(model);
  if (const std::size_t expected = head.hidden_size(); expected != 0 && expected != width)
    throw invalid_argument("likelihood::learned_order: hidden states of " + std::to_string(width) + " numbers, expected " +
                           std::to_string(expected) + ", those the head was trained on");
  learned_order_bound out;
  out.tokens = masked.size();
  if (!may_be_generated(x, masked, facts)) {
    out.nats = -infinity;
    return out;
  }

  struct place {
    std::size_t path, step;
  };
  std::vector<scored_path> paths;
  std::vector<place> states;
  for (std::size_t k = 0; k < options.paths; ++k) {
    random_stream rng(options.seed, stream_use::other, options.stream, k);
    paths.push_back({draw_path(posterior, scores, masked, options.steps, rng), {}, {}});
    paths.back().log_p.resize(paths.back().path.size());
    paths.back().logits.resize(paths.back().path.size());
    for (std::size_t t = 0; t < paths.back().path.steps(); ++t) states.push_back({k, t});
    out.steps += static_cast<double>(paths.back().path.steps()) / static_cast<double>(options.paths);
  }

  scorer<M> score(model, facts, options.rows_per_call);
  scoring_queue queue;
  std::vector<double> log_p(facts.vocabulary);
  std::vector<std::vector<float>> hidden, features;  // of the rows of one call
  typename Head::scratch scratch;
  for (std::size_t first = 0; first < states.size(); first += queue.rows()) {
    queue.clear();
    const std::size_t rows = std::min(options.rows_per_call, states.size() - first);
    hidden.assign(rows, {});
    features.assign(rows, {});
    for (std::size_t r = 0; r < rows; ++r) {
      const auto [k, t] = states[first + r];
      const auto tokens = queue.add(r, purpose::decode, x.size());
      std::copy(x.begin(), x.end(), tokens.begin());
      for (const std::size_t i : paths[k].path.masked(t)) tokens[i] = facts.mask;
      for (const std::size_t i : paths[k].path.masked(t)) queue.want(i);
      hidden[r].resize(paths[k].path.masked(t).size() * width);
      features[r].resize(paths[k].path.masked(t).size() * reveal_feature_count);
    }
    score.score_with_hidden(
        queue,
        [&](std::size_t r, std::size_t n, std::span<const float> logits) {
          const auto [k, t] = states[first + r];
          const std::size_t i = paths[k].path.masked(t)[n];
          if (!log_softmax(logits, facts.forbidden, log_p))
            throw model_error("model: the row of position " + std::to_string(i) +
                              " has no finite logit for a token that may be generated");
          paths[k].log_p[paths[k].path.begin(t) + n] = log_p[static_cast<std::size_t>(x[i])];
          const auto s = statistics_of<statistics::confidence | statistics::entropy | statistics::margin>(log_p);
          const auto f = reveal_features(s.confidence, s.entropy, s.margin);
          std::copy(f.begin(), f.end(), features[r].begin() + static_cast<std::ptrdiff_t>(n * reveal_feature_count));
        },
        [&](std::size_t r, std::size_t n, std::span<const float> h) {
          std::copy(h.begin(), h.end(), hidden[r].begin() + static_cast<std::ptrdiff_t>(n * width));
        });
    for (std::size_t r = 0; r < rows; ++r) {
      const auto [k, t] = states[first + r];
      const double elapsed = static_cast<double>(t) / static_cast<double>(options.steps);
      head(reveal_context{paths[k].path.masked(t), hidden[r], features[r], elapsed}, scratch,
           paths[k].path.slice(std::span{paths[k].logits}, t));
    }
    out.cost += cost_of(queue, 0, queue.rows());
  }

  std::vector<double> estimates;
  for (const scored_path& one : paths) {
    const order_bound b = rao_blackwellised(posterior, scores, one.path, one.log_p, one.logits);
    estimates.push_back(b.nats());
    out.reconstruction += b.reconstruction / static_cast<double>(options.paths);
    out.divergence += b.divergence / static_cast<double>(options.paths);
  }
  const bound mean = mean_of(estimates);
  out.nats = mean.nats;
  out.standard_error = mean.standard_error;
  return out;
}

}  // namespace lacuna::likelihood
