/// @file
/// @brief likelihood::elbo: a lower bound of log p(x) for speculative sampling in random orders, E over sigma of log p(x |
/// sigma).
///
/// Sampling draws sigma and then x given sigma, so that p(x) is the mean of p(x | sigma), and the mean of its logarithm no more
/// than the logarithm of that (Jensen). Estimated from a few orders without bias. For the plain pass of a masked_model, which
/// verifies nothing, use likelihood::masked_elbo.
///
/// ```cpp
/// const auto b = lacuna::likelihood::elbo(model, x, lacuna::likelihood::positions_from(0, x.size()), lacuna::window::none{});
/// b.nats; b.standard_error; b.bits_per_token(); b.cost;
/// ```
/// Cost: that of log_likelihood for each order. A seed gives the same orders, and so the same number, for any `rows_per_call`.
/// Errors: as of log_likelihood, and orders = 0. With one order there is no standard error (NaN).
/// Source: Self-Speculative Masked Diffusions (arXiv 2510.03929).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "lacuna/concepts/draft_verify_model.hpp"
#include "lacuna/concepts/window_policy.hpp"
#include "lacuna/core/errors.hpp"
#include "lacuna/core/random.hpp"
#include "lacuna/core/token.hpp"
#include "lacuna/likelihood/bound.hpp"
#include "lacuna/likelihood/log_likelihood.hpp"

namespace lacuna::likelihood {

struct elbo_options {
  std::size_t orders = 8;  ///< uniformly random ones that are averaged over
  std::uint64_t seed = 0;
  std::uint64_t stream = 0;  ///< names the sequence's random numbers
  speculation how{};
};

/// E log p(x | sigma) over orders of `scored`; all other positions are given.
template <draft_verify_model M, window_policy Window>
bound elbo(M& model, std::span<const token> x, std::span<const std::size_t> scored, const Window& window,
           const elbo_options& options = {}) {
  if (options.orders == 0) throw invalid_argument("likelihood::elbo: orders = 0, expected at least 1");
  detail::speculative_likelihood<M, Window> given_order(model, window, options.how);
  std::vector<double> estimates;
  std::vector<std::size_t> sigma;
  nfe cost;
  for (std::size_t k = 0; k < options.orders; ++k) {
    sigma.assign(scored.begin(), scored.end());
    random_stream(options.seed, stream_use::order, options.stream, k).shuffle(std::span{sigma});
    const bound one = given_order(x, sigma);
    estimates.push_back(one.nats);
    cost += one.cost;
  }
  bound b = mean_of(estimates);
  b.tokens = scored.size();
  b.cost = cost;
  return b;
}

}  // namespace lacuna::likelihood
