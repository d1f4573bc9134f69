/// @file
/// @brief What an order guided by mutual information must choose, written down as the rule is: from the whole matrix, every
/// time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <span>
#include <vector>

#include "lacuna/mi/estimate.hpp"
#include "lacuna/sample/run.hpp"

namespace lacuna::testing {

/// The rule, on entropies [n] and a symmetric matrix [n, n]. `cost(H, Σ I)` and `after(left, cost, H)`.
template <class Cost, class After>
std::vector<std::size_t> admitted(const std::vector<double>& entropies, const tensor<double, 2>& information, double gamma,
                                  double lambda, Cost cost, After after) {
  std::vector<std::size_t> by_entropy(entropies.size());
  std::iota(by_entropy.begin(), by_entropy.end(), std::size_t{0});
  std::sort(by_entropy.begin(), by_entropy.end(),
            [&](std::size_t a, std::size_t b) { return entropies[a] != entropies[b] ? entropies[a] < entropies[b] : a < b; });
  std::vector<std::size_t> chosen;
  double left = gamma;
  for (const std::size_t i : by_entropy) {
    double shared = 0;
    for (const std::size_t j : chosen) shared += lambda * information(i, j);
    const double c = cost(entropies[i], shared);
    if (!(c <= left)) continue;
    chosen.push_back(i);
    left = after(left, c, entropies[i]);
  }
  if (chosen.empty()) chosen.push_back(by_entropy.front());
  return chosen;
}

inline double sum_of(double h, double shared) { return h + shared; }
inline double lesser_of(double h, double shared) { return std::min(h, shared); }
inline double running(double left, double cost, double) { return left - cost; }
inline double threshold(double left, double, double) { return left; }
inline double running_entropy(double left, double, double h) { return left - h; }

/// What a run and its reference did.
struct comparison {
  std::size_t steps = 0;
  std::size_t different = 0;    ///< steps with another choice
  std::size_t together = 0;     ///< steps that chose several
  std::size_t probes = 0;       ///< rows that the run probed
  std::size_t all_probes = 0;   ///< rows of the whole matrices
  std::size_t most_rounds = 0;  ///< of probes in a step
  std::size_t silent = 0;       ///< steps without a probe
};

/// Decodes with `sampler` and holds each step against the rule on the whole matrix of `estimator`.
template <class Model, class Sampler, class E, class Cost, class After>
comparison compare(Model& model, const canvas& from, const Sampler& sampler, const E& estimator, double gamma, double lambda,
                   Cost cost, After after, std::uint64_t seed = 1) {
  comparison out;
  auto run = start(model, sampler, from, seed);
  while (!run.done()) {
    const auto whole = mi::estimate(model, run.sequence(), estimator);
    std::vector<std::size_t> expected;
    for (const std::size_t a : admitted(whole.entropies, whole.cleaned(), gamma, lambda, cost, after))
      expected.push_back(whole.positions[a]);
    const nfe::count before = run.cost().of(purpose::probe);
    const step_info info = run.step();
    const nfe::count now = run.cost().of(purpose::probe);
    ++out.steps;
    out.different += std::equal(info.committed.begin(), info.committed.end(), expected.begin(), expected.end()) ? 0U : 1U;
    out.together += expected.size() > 1 ? 1U : 0U;
    out.most_rounds = std::max(out.most_rounds, now.calls - before.calls);
    out.silent += now.calls == before.calls ? 1U : 0U;
    out.all_probes += whole.cost.of(purpose::probe).rows;
  }
  out.probes = run.cost().of(purpose::probe).rows;
  return out;
}

inline comparison& operator+=(comparison& a, const comparison& b) {
  a.steps += b.steps;
  a.different += b.different;
  a.together += b.together;
  a.probes += b.probes;
  a.all_probes += b.all_probes;
  a.most_rounds = std::max(a.most_rounds, b.most_rounds);
  a.silent += b.silent;
  return a;
}

}  // namespace lacuna::testing
