/// @file
/// @brief draw::top_p: keeps the smallest set of most likely tokens that holds a mass of p (the nucleus) and draws among them.
///
/// Cuts off the unreliable tail by its mass, so that flat rows keep many tokens and sharp ones few; draw::top_k keeps a fixed
/// number. At least one token stays, ties go to the lowest id. A filter: it stacks around any other draw, drawing from the
/// model's row (temperature 1) by default. p = 1 keeps the row, p = 0 is argmax. Cost: about 20 comparisons and 2 exponentials
/// a token, no allocation. Holtzman et al. 2020, arXiv 1904.09751; ReMDM samples with p = 0.9. Errors: p outside of [0, 1] or
/// NaN is refused.
/// ```cpp
/// lacuna::draw::top_p{0.9}
/// lacuna::draw::top_p{0.9, lacuna::draw::categorical{0.8}}
/// ```
#pragma once

#include <cmath>
#include <cstddef>
#include <span>
#include <string>

#include "lacuna/concepts/draw_policy.hpp"
#include "lacuna/concepts/validate.hpp"
#include "lacuna/core/cut.hpp"
#include "lacuna/core/errors.hpp"
#include "lacuna/core/random.hpp"
#include "lacuna/core/row.hpp"
#include "lacuna/core/token.hpp"
#include "lacuna/draw/categorical.hpp"

namespace lacuna::draw {

template <draw_policy Inner = categorical>
struct top_p {
  double p = 0.9;
  [[no_unique_address]] Inner inner{};

  token draw(std::span<double> log_p, random_stream& rng) const {
    if (p < 1) filter(log_p);
    return inner.draw(log_p, rng);
  }

  void validate() const {
    if (!(p >= 0 && p <= 1))
      throw invalid_argument("draw::top_p: p = " + std::to_string(p) + ", expected a probability, 0 to 1");
    lacuna::validate(inner);
  }

 private:
  void filter(std::span<double> log_p) const {
    const double edge = cut(
        log_p.size(), p, [&](std::size_t v) { return log_p[v]; }, [&](std::size_t v) { return std::exp(log_p[v]); });
    double mass = 0;
    std::size_t kept = 0;
    for (const double x : log_p)
      if (x > edge) {
        mass += std::exp(x);
        ++kept;
      }
    const double on_edge = std::exp(edge);
    for (double& x : log_p) {
      if (x > edge) continue;
      if (x == edge && (kept == 0 || mass < p)) {
        mass += on_edge;
        ++kept;
      } else {
        x = -infinity;
      }
    }
    normalize_row(log_p);
  }
};
top_p()->top_p<>;
top_p(double)->top_p<>;
template <class Inner>
top_p(double, Inner) -> top_p<Inner>;

}  // namespace lacuna::draw
