/// @file
/// @brief likelihood::bound: a log-likelihood, or an estimate of a lower bound of one, and what it is a token.
///
/// ```cpp
/// lacuna::likelihood::bound all;
/// for (const auto& x : texts) all += lacuna::likelihood::masked_elbo(model, x, everything);
/// all.bits_per_token();   // per character, if tokens are characters
/// all.perplexity();
/// ```
/// Nats, higher is better; bits per token and perplexity are the other way round, and so are upper bounds of the truth's where
/// `nats` is a lower one. Errors: invalid_argument for a rate of no tokens.
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>
#include <span>
#include <string>

#include "lacuna/core/cost.hpp"
#include "lacuna/core/errors.hpp"

namespace lacuna::likelihood {

struct bound {
  double nats = 0;            ///< of all tokens together
  double standard_error = 0;  ///< of `nats`; 0 if nothing was drawn, NaN if too little was to tell
  std::size_t tokens = 0;     ///< those that were scored
  nfe cost{};

  /// What a token costs a perfect code, in bits.
  [[nodiscard]] double bits_per_token() const { return -mean() / std::numbers::ln2; }
  [[nodiscard]] double bits_per_token_error() const { return standard_error / count() / std::numbers::ln2; }
  /// The number of equally likely tokens that would be as hard to guess.
  [[nodiscard]] double perplexity() const { return std::exp(-mean()); }
  /// To first order.
  [[nodiscard]] double perplexity_error() const { return perplexity() * standard_error / count(); }

  /// Of two sequences together, drawn apart.
  bound& operator+=(const bound& other) {
    nats += other.nats;
    standard_error = std::hypot(standard_error, other.standard_error);
    tokens += other.tokens;
    cost += other.cost;
    return *this;
  }

 private:
  [[nodiscard]] double count() const {
    if (tokens == 0) throw invalid_argument("likelihood::bound: a rate of 0 tokens, expected at least 1");
    return static_cast<double>(tokens);
  }
  [[nodiscard]] double mean() const { return nats / count(); }
};

/// The mean of independent estimates of one number, its standard error from their spread: NaN for a single one, and for
/// estimates that are not finite.
inline bound mean_of(std::span<const double> estimates) {
  const auto n = static_cast<double>(estimates.size());
  bound b;
  for (const double x : estimates) b.nats += x / n;
  if (estimates.size() < 2 || !std::isfinite(b.nats)) {
    b.standard_error = std::numeric_limits<double>::quiet_NaN();
    return b;
  }
  double squares = 0;
  for (const double x : estimates) squares += (x - b.nats) * (x - b.nats);
  b.standard_error = std::sqrt(squares / (n - 1) / n);
  return b;
}

}  // namespace lacuna::likelihood
