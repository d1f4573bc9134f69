/// @file
/// @brief Rows for draw policies, and how often each token of a row is drawn.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "lacuna/concepts/draw_policy.hpp"
#include "lacuna/core/row.hpp"

namespace lacuna::testing {

/// Log-probabilities of a row given by probabilities.
inline std::vector<double> row_of(const std::vector<double>& p) {
  std::vector<double> log_p;
  for (const double x : p) log_p.push_back(std::log(x));
  return log_p;
}

/// Log-probabilities of a row given by logits.
inline std::vector<double> row_of_logits(const std::vector<float>& logits) {
  std::vector<double> log_p(logits.size());
  log_softmax(logits, {}, log_p);
  return log_p;
}

/// One draw; the row is copied, as policies may overwrite theirs.
template <draw_policy D>
token draw_from(const D& d, std::vector<double> log_p, std::uint64_t seed = 1) {
  random_stream rng(seed, stream_use::draw);
  return d.draw(std::span<double>{log_p}, rng);
}

/// How often each token comes in `runs` draws.
template <draw_policy D>
std::vector<std::size_t> draws_of(const D& d, const std::vector<double>& log_p, std::size_t runs) {
  std::vector<std::size_t> count(log_p.size(), 0);
  for (std::size_t run = 0; run < runs; ++run) ++count[static_cast<std::size_t>(draw_from(d, log_p, run))];
  return count;
}

/// Keeps the row it was shown: what a filter around it left.
struct row_recorder {
  std::vector<double>* seen;
  token draw(std::span<double> log_p, random_stream&) const {
    seen->assign(log_p.begin(), log_p.end());
    return argmax(log_p);
  }
};

/// The probabilities a filter passes on; `make(inner)` builds the filter around an inner draw.
template <class Make>
std::vector<double> passed_on(Make make, const std::vector<double>& log_p) {
  std::vector<double> seen;
  draw_from(make(row_recorder{&seen}), log_p);
  for (double& x : seen) x = std::exp(x);
  return seen;
}

}  // namespace lacuna::testing
