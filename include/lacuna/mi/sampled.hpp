/// @file
/// @brief mi::sampled: mutual information from a few values drawn at each position, with its standard error.
///
/// H(X_j) − mean of H(X_j | X_i = v) over `samples` values drawn from p_i, in nats: unbiased before it is cleaned. Choose it
/// for large vocabularies with flat rows, where mi::pruned saves nothing. The values of a position serve for all other
/// positions, so that errors within a row of the matrix go together. Cost: at most `samples` rows a probed position; a value
/// drawn twice is put in once. The random numbers depend on seed, row, step and position only. Errors: samples = 0 is refused.
/// ```cpp
/// lacuna::mi::estimate(model, canvas, lacuna::mi::sampled{32}, {.seed = 7})
/// ```
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "lacuna/concepts/mi_estimator.hpp"
#include "lacuna/core/errors.hpp"
#include "lacuna/core/fixed_sum.hpp"
#include "lacuna/core/random.hpp"
#include "lacuna/core/row.hpp"
#include "lacuna/core/statistics.hpp"

namespace lacuna::mi {

struct sampled {
  std::size_t samples = 16;

  static constexpr statistics needs = statistics::none;

  /// The values drawn, ascending, with the share of the draws that they got.
  void values(std::span<const double> log_p, std::vector<probe_value>& out, random_stream rng) const {
    const std::size_t first = out.size();
    for (std::size_t s = 0; s < samples; ++s) {
      double u = rng.uniform();
      std::size_t drawn = 0;
      for (std::size_t v = 0; v < log_p.size(); ++v) {
        const double p = std::exp(log_p[v]);
        if (!(p > 0)) continue;
        drawn = v;  // the last possible one takes what rounding leaves
        u -= p;
        if (u < 0) break;
      }
      out.push_back({static_cast<token>(drawn), 1 / static_cast<double>(samples)});
    }
    const auto begin = out.begin() + static_cast<std::ptrdiff_t>(first);
    std::sort(begin, out.end(), [](const probe_value& a, const probe_value& b) { return a.value < b.value; });
    std::size_t kept = first;
    for (std::size_t s = first; s < out.size(); ++s) {
      if (kept > first && out[kept - 1].value == out[s].value)
        out[kept - 1].weight += out[s].weight;
      else
        out[kept++] = out[s];
    }
    out.resize(kept);
  }

  class gathered {
   public:
    void begin(const sampled& e, std::size_t targets, std::size_t /*vocabulary*/) {
      samples_ = static_cast<double>(e.samples);
      sums_.assign(targets, {});
    }
    void add(std::size_t t, double weight, std::span<const double> log_p) {
      const double h = entropy(log_p);
      sum& s = sums_[t];
      s.mean.add(weight * h);
      s.square.add(weight * h * h);
    }
    [[nodiscard]] double information(std::size_t t, double entropy) const { return entropy - sums_[t].mean.value(); }
    /// The standard error; infinite with a single sample.
    [[nodiscard]] double error(std::size_t t) const {
      if (samples_ < 2) return std::numeric_limits<double>::infinity();
      const double mean = sums_[t].mean.value();
      return std::sqrt(std::max(sums_[t].square.value() - mean * mean, 0.0) / (samples_ - 1));
    }

   private:
    struct sum {
      fixed_sum mean;
      fixed_sum square;
    };
    double samples_ = 1;
    std::vector<sum> sums_;  // [targets]
  };

  void validate() const {
    if (samples == 0) throw invalid_argument("mi::sampled: samples = 0, expected at least 1");
  }
};

}  // namespace lacuna::mi
