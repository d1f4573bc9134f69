/// @file
/// @brief mi::enumerated: mutual information by putting every value at a position: exact for the model.
///
/// I(X_i; X_j) = H(X_j) − Σ_v p_i(v) H(X_j | X_i = v), in nats. Choose it for reference and for small vocabularies. Cost: a row
/// for each probed position and each value the model thinks possible there; values of probability 0 are not put in. Raw
/// numbers may be negative where the model's conditionals do not agree with each other; mi::mixture never is.
/// Neural Estimation of Pairwise Mutual Information in Masked Discrete Sequence Models, arXiv 2605.20187.
/// ```cpp
/// lacuna::mi::estimate(model, canvas, lacuna::mi::enumerated{})
/// lacuna::order::mi_guided{lacuna::mi::enumerated{}, 0.3}
/// ```
#pragma once

#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "lacuna/concepts/mi_estimator.hpp"
#include "lacuna/core/fixed_sum.hpp"
#include "lacuna/core/random.hpp"
#include "lacuna/core/row.hpp"
#include "lacuna/core/statistics.hpp"

namespace lacuna::mi {

struct enumerated {
  static constexpr statistics needs = statistics::none;

  /// All possible values with their probabilities.
  void values(std::span<const double> log_p, std::vector<probe_value>& out, const random_stream&) const {
    for (std::size_t v = 0; v < log_p.size(); ++v)
      if (const double p = std::exp(log_p[v]); p > 0) out.push_back({static_cast<token>(v), p});
  }

  /// Σ_v p_i(v) H(X_j | X_i = v) for each j.
  class gathered {
   public:
    void begin(const enumerated&, std::size_t targets, std::size_t /*vocabulary*/) { conditional_.assign(targets, {}); }
    void add(std::size_t t, double weight, std::span<const double> log_p) { conditional_[t].add(weight * entropy(log_p)); }
    [[nodiscard]] double information(std::size_t t, double entropy) const { return entropy - conditional_[t].value(); }

   private:
    std::vector<fixed_sum> conditional_;  // [targets]
  };
};

}  // namespace lacuna::mi
