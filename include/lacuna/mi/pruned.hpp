/// @file
/// @brief mi::pruned: mutual information without the values that hardly ever come; says how much that may be off.
///
/// As mi::enumerated, but only the likeliest values of a position are put in, the fewest whose mass is at least 1 − epsilon.
/// Nothing is renormalised, so that the estimate is too large by what the skipped values would have contributed: between 0 and
/// their mass times log V nats, which is the error told for each pair. The estimator to guide decoding with: of a model that is
/// sure of most positions few probes are left. epsilon = 0 is exact. Cost: a row for each probed position and value kept.
/// Errors: epsilon outside of [0, 1) is refused.
/// ```cpp
/// lacuna::mi::estimate(model, canvas, lacuna::mi::pruned{1e-3})
/// lacuna::order::dependence_bound{lacuna::mi::pruned{}, 0.001}
/// ```
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "lacuna/concepts/mi_estimator.hpp"
#include "lacuna/core/errors.hpp"
#include "lacuna/core/fixed_sum.hpp"
#include "lacuna/core/random.hpp"
#include "lacuna/core/row.hpp"
#include "lacuna/core/statistics.hpp"
#include "lacuna/mi/enumerated.hpp"

namespace lacuna::mi {

struct pruned {
  double epsilon = 1e-3;

  static constexpr statistics needs = statistics::none;

  /// The likeliest values, ties to the lower ones.
  void values(std::span<const double> log_p, std::vector<probe_value>& out, const random_stream& rng) const {
    const auto first = static_cast<std::ptrdiff_t>(out.size());
    enumerated{}.values(log_p, out, rng);
    std::sort(out.begin() + first, out.end(), [](const probe_value& a, const probe_value& b) {
      return a.weight != b.weight ? a.weight > b.weight : a.value < b.value;
    });
    double skipped = 0;  // summed from the rare end, where nothing is rounded away
    while (out.size() > static_cast<std::size_t>(first) && skipped + out.back().weight <= epsilon) {
      skipped += out.back().weight;
      out.pop_back();
    }
  }

  class gathered {
   public:
    void begin(const pruned&, std::size_t targets, std::size_t vocabulary) {
      log_vocabulary_ = std::log(static_cast<double>(vocabulary));
      kept_.begin(enumerated{}, targets, vocabulary);
      mass_.assign(targets, {});
    }
    void add(std::size_t t, double weight, std::span<const double> log_p) {
      kept_.add(t, weight, log_p);
      mass_[t].add(weight);
    }
    [[nodiscard]] double information(std::size_t t, double entropy) const { return kept_.information(t, entropy); }
    /// The exact value lies between this below `information` and `information`.
    [[nodiscard]] double error(std::size_t t) const { return std::max(1 - mass_[t].value(), 0.0) * log_vocabulary_; }

   private:
    double log_vocabulary_ = 0;
    enumerated::gathered kept_;
    std::vector<fixed_sum> mass_;  // [targets] of the values put in
  };

  void validate() const {
    if (!(epsilon >= 0 && epsilon < 1))
      throw invalid_argument("mi::pruned: epsilon = " + std::to_string(epsilon) + ", expected a mass, 0 <= epsilon < 1");
  }
};

}  // namespace lacuna::mi
