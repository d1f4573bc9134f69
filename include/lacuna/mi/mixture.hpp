/// @file
/// @brief mi::mixture: mutual information as what the rows under different values differ by: never negative.
///
/// H(Σ_v p_i(v) P(X_j | v)) − Σ_v p_i(v) H(X_j | v), in nats: equal to mi::enumerated for a model whose conditionals agree with
/// each other. Where they do not, it compares probes with probes only, and leaves the unconditional row of j out; choose it
/// for such models where a negative number would be in the way. Cost: rows as mi::enumerated; memory V numbers for each pair
/// that is being probed.
/// ```cpp
/// lacuna::mi::estimate(model, canvas, lacuna::mi::mixture{})
/// ```
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "lacuna/concepts/mi_estimator.hpp"
#include "lacuna/core/fixed_sum.hpp"
#include "lacuna/core/random.hpp"
#include "lacuna/core/row.hpp"
#include "lacuna/core/statistics.hpp"
#include "lacuna/mi/enumerated.hpp"

namespace lacuna::mi {

struct mixture {
  static constexpr statistics needs = statistics::none;

  /// All possible values with their probabilities.
  void values(std::span<const double> log_p, std::vector<probe_value>& out, const random_stream& rng) const {
    enumerated{}.values(log_p, out, rng);
  }

  /// For each j the mean row and the mean entropy.
  class gathered {
   public:
    void begin(const mixture&, std::size_t targets, std::size_t vocabulary) {
      vocabulary_ = vocabulary;
      mean_.assign(targets * vocabulary, {});
      conditional_.assign(targets, {});
    }
    void add(std::size_t t, double weight, std::span<const double> log_p) {
      conditional_[t].add(weight * entropy(log_p));
      for (std::size_t v = 0; v < vocabulary_; ++v) mean_[t * vocabulary_ + v].add(weight * std::exp(log_p[v]));
    }
    [[nodiscard]] double information(std::size_t t, double /*entropy*/) const {
      double h = 0;
      for (std::size_t v = 0; v < vocabulary_; ++v)
        if (const double p = mean_[t * vocabulary_ + v].value(); p > 0) h -= p * std::log(p);
      return std::max(h - conditional_[t].value(), 0.0);  // below only by rounding
    }

   private:
    std::size_t vocabulary_ = 0;
    std::vector<fixed_sum> mean_;         // [targets, V]
    std::vector<fixed_sum> conditional_;  // [targets]
  };
};

}  // namespace lacuna::mi
