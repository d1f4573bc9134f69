/// @file
/// @brief likelihood::masked_elbo: the lower bound of log p(x) that masked diffusion trains on, for any model.
///
/// N positions are scored. With i uniform on 0 … N − 1 and a uniformly random set M of N − i of them masked,
///
///     log p(x) ≥ E N / |M| · Σ_{j in M} log p_j(x_j | what is not in M) = E over orders of Σ_i log p(x_σ(i) | x_σ(<i)):
///
/// what decoding one token at a time in a random order gives x with, by Jensen. The same number as the integral over diffusion
/// time of E 1/t · Σ log p, each position masked with probability t: given |M| all sets are equally likely, and weighted by 1/t
/// all sizes but 0 are, with N / |M|. Estimated from draws of M, without bias.
///
/// ```cpp
/// const auto b = lacuna::likelihood::masked_elbo(model, x, lacuna::likelihood::positions_from(0, x.size()), {.draws = 64});
/// b.nats; b.standard_error; b.bits_per_token();
/// ```
/// Works on every rung of the ladder. Where the model's conditionals are those of one joint distribution the bound is its
/// log p(x). Forbidden tokens are removed before the softmax. Cost: a row a draw, in calls of `rows_per_call`. Draws are keyed
/// by seed, stream and number: the result does not depend on the split into calls. Errors: invalid_argument before the first
/// call; model_error for what breaks the contract, and for a masked position without a possible token.
/// Sources: Hoogeboom et al. 2021, arXiv 2110.02037 (autoregressive diffusion); Sahoo et al. 2024, arXiv 2406.07524 (MDLM).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "lacuna/concepts/model_facts.hpp"
#include "lacuna/concepts/ragged_model.hpp"
#include "lacuna/core/cost.hpp"
#include "lacuna/core/errors.hpp"
#include "lacuna/core/random.hpp"
#include "lacuna/core/row.hpp"
#include "lacuna/core/token.hpp"
#include "lacuna/likelihood/bound.hpp"
#include "lacuna/likelihood/scored.hpp"
#include "lacuna/sample/scorer.hpp"
#include "lacuna/sample/scoring_queue.hpp"

namespace lacuna::likelihood {

struct masked_elbo_options {
  std::size_t draws = 64;  ///< of a number of masks and where they are
  std::uint64_t seed = 0;
  std::uint64_t stream = 0;  ///< names the sequence's random numbers
  std::size_t rows_per_call = 64;
};

/// The bound for the tokens at `scored`; all other positions are given.
template <decodable_model M>
bound masked_elbo(M& model, std::span<const token> x, std::span<const std::size_t> scored,
                  const masked_elbo_options& options = {}) {
  const model_facts facts = facts_of(model);
  check_scored(x, scored, facts);
  if (options.draws == 0) throw invalid_argument("likelihood::masked_elbo: draws = 0, expected at least 1");
  if (options.rows_per_call == 0) throw invalid_argument("likelihood::masked_elbo: rows_per_call = 0, expected at least 1");
  if (!may_be_generated(x, scored, facts)) {
    bound nothing = mean_of(std::vector<double>{-infinity});
    nothing.tokens = scored.size();
    return nothing;
  }
  scorer<M> score(model, facts, options.rows_per_call);
  scoring_queue queue;
  std::vector<double> log_p(facts.vocabulary);
  std::vector<double> found;  // of one call [rows, N], so that the order in which rows come does not matter
  std::vector<double> estimates(options.draws, 0.0);
  std::vector<std::size_t> positions;
  nfe cost;
  for (std::size_t first = 0; first < options.draws; first += queue.rows()) {
    queue.clear();
    const std::size_t rows = std::min(options.rows_per_call, options.draws - first);
    for (std::size_t r = 0; r < rows; ++r) {
      random_stream rng(options.seed, stream_use::other, options.stream, first + r);
      positions.assign(scored.begin(), scored.end());
      const std::size_t revealed = rng.below(scored.size());
      rng.shuffle(std::span{positions});
      const auto masked = std::span{positions}.subspan(revealed);
      std::sort(masked.begin(), masked.end());
      const auto tokens = queue.add(r, purpose::decode, x.size());
      std::copy(x.begin(), x.end(), tokens.begin());
      for (const std::size_t i : masked) tokens[i] = facts.mask;
      for (const std::size_t i : masked) queue.want(i);
    }
    found.assign(rows * scored.size(), 0.0);
    score.score(queue, [&](std::size_t r, std::size_t k, std::span<const float> logits) {
      const std::size_t i = queue.wanted(r)[k];
      if (!log_softmax(logits, facts.forbidden, log_p))
        throw model_error("model: the row of position " + std::to_string(i) +
                          " has no finite logit for a token that may be generated");
      found[r * scored.size() + k] = log_p[static_cast<std::size_t>(x[i])];
    });
    for (std::size_t r = 0; r < rows; ++r) {
      double sum = 0;
      for (const double nats : std::span{found}.subspan(r * scored.size(), queue.wanted(r).size())) sum += nats;
      estimates[first + r] = sum * static_cast<double>(scored.size()) / static_cast<double>(queue.wanted(r).size());
    }
    cost += cost_of(queue, 0, queue.rows());
  }
  bound b = mean_of(estimates);
  b.tokens = scored.size();
  b.cost = cost;
  return b;
}

}  // namespace lacuna::likelihood
