/// @file
/// @brief draw::top_k: keeps the k most likely tokens, ties to the lowest id, and draws among them.
///
/// Cuts off an unreliable tail at a fixed number of tokens; draw::top_p cuts at a fixed mass and so adapts to the row. A
/// filter: it stacks around any other draw, drawing from the model's row (temperature 1) by default. Cost: some 20 comparisons
/// a token, no allocation. Fan et al. 2018, arXiv 1805.04833. Errors: k = 0 is refused.
/// ```cpp
/// lacuna::draw::top_k{50}
/// lacuna::draw::top_k{50, lacuna::draw::top_p{0.95, lacuna::draw::categorical{0.8}}}
/// ```
#pragma once

#include <cstddef>
#include <span>

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
struct top_k {
  std::size_t k = 50;
  [[no_unique_address]] Inner inner{};

  token draw(std::span<double> log_p, random_stream& rng) const {
    if (k < log_p.size()) filter(log_p);
    return inner.draw(log_p, rng);
  }

  void validate() const {
    if (k == 0) throw invalid_argument("draw::top_k: k = 0, expected at least 1 token");
    lacuna::validate(inner);
  }

 private:
  void filter(std::span<double> log_p) const {
    const double edge = cut(
        log_p.size(), static_cast<double>(k), [&](std::size_t v) { return log_p[v]; }, [](std::size_t) { return 1.0; });
    std::size_t left = k;  // places for tokens on the edge
    for (const double x : log_p)
      if (x > edge) --left;
    for (double& x : log_p) {
      if (x > edge) continue;
      if (x == edge && left > 0)
        --left;
      else
        x = -infinity;
    }
    normalize_row(log_p);
  }
};
top_k()->top_k<>;
top_k(std::size_t)->top_k<>;
template <class Inner>
top_k(std::size_t, Inner) -> top_k<Inner>;

}  // namespace lacuna::draw
