/// @file
/// @brief What is measured of estimates of mutual information: cost and error of pruning, the structure they find, agreement.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "../common/text_table.hpp"
#include "grid.hpp"
#include "lacuna/core/cost.hpp"
#include "lacuna/mi/agreement.hpp"
#include "lacuna/mi/information.hpp"
#include "lacuna/mi/roc_area.hpp"
#include "mi_contexts.hpp"

namespace sudoku {

using namespace common;

/// What leaving rare values out saves, and how far off the raw numbers are by it, in nats, over all directed pairs.
struct pruning_cost {
  double epsilon = 0;
  std::size_t rows = 0;  ///< with the canvases themselves
  std::size_t exact_rows = 0;
  double mean_error = 0;
  double largest_error = 0;
  double mean_bound = 0;  ///< as the estimator tells
  double largest_bound = 0;
  std::size_t beyond_bound = 0;  ///< pairs whose error is larger than told, by more than 1e-9

  /// How many times fewer rows.
  [[nodiscard]] double ratio() const { return static_cast<double>(exact_rows) / static_cast<double>(rows); }
};

inline pruning_cost cost_of_pruning(std::span<const lacuna::mi::information> exact,
                                    std::span<const lacuna::mi::information> pruned, double epsilon) {
  pruning_cost c{epsilon};
  double pairs = 0;
  for (std::size_t i = 0; i < exact.size(); ++i) {
    c.rows += pruned[i].cost.rows();
    c.exact_rows += exact[i].cost.rows();
    for (std::size_t a = 0; a < exact[i].size(); ++a)
      for (std::size_t b = 0; b < exact[i].size(); ++b) {
        if (a == b) continue;
        const double error = std::abs(pruned[i].raw(a, b) - exact[i].raw(a, b));
        const double bound = pruned[i].error(a, b);
        ++pairs;
        c.mean_error += error;
        c.mean_bound += bound;
        c.largest_error = std::max(c.largest_error, error);
        c.largest_bound = std::max(c.largest_bound, bound);
        c.beyond_bound += error > bound + 1e-9 ? 1U : 0U;
      }
  }
  if (pairs > 0) {
    c.mean_error /= pairs;
    c.mean_bound /= pairs;
  }
  return c;
}

/// Whether two different cells share a row, a column or a box.
inline bool share_a_unit(std::size_t a, std::size_t b) { return relation_of(a, b) != relation::none; }

/// The area under the ROC curve of the cleaned information of blank pairs that share a unit against those that do not.
struct structure_found {
  std::size_t pairs = 0;
  std::size_t related = 0;
  std::size_t contexts = 0;   ///< in which there are pairs of both kinds
  double pooled = 0;          ///< of all pairs of all contexts
  double mean = 0;            ///< of the areas of the contexts
  double standard_error = 0;  ///< of that mean, over contexts
};

inline structure_found structure_of(std::span<const lacuna::mi::information> estimates) {
  structure_found found;
  std::vector<double> all_scores, areas;
  std::vector<std::uint8_t> all_related;
  for (const lacuna::mi::information& e : estimates) {
    const auto clean = e.cleaned();
    std::vector<double> scores;
    std::vector<std::uint8_t> related;
    for (std::size_t a = 0; a < e.size(); ++a)
      for (std::size_t b = a + 1; b < e.size(); ++b) {
        scores.push_back(clean(a, b));
        related.push_back(share_a_unit(e.positions[a], e.positions[b]) ? 1 : 0);
      }
    const auto n = static_cast<std::size_t>(std::count(related.begin(), related.end(), 1));
    if (n > 0 && n < related.size()) areas.push_back(lacuna::mi::roc_area(scores, related));
    found.related += n;
    all_scores.insert(all_scores.end(), scores.begin(), scores.end());
    all_related.insert(all_related.end(), related.begin(), related.end());
  }
  found.pairs = all_scores.size();
  found.contexts = areas.size();
  if (areas.empty()) {  // no pair of one of the kinds to compare with
    found.pooled = found.mean = std::nan("");
    return found;
  }
  found.pooled = lacuna::mi::roc_area(all_scores, all_related);
  found.mean = mean(areas);
  found.standard_error = standard_error(areas);
  return found;
}

/// Agreement of cleaned estimates with the exact ones over the blank pairs of contexts with so many blanks.
struct agreement_in_band {
  std::size_t least_blanks = 0;
  std::size_t most_blanks = 0;
  std::size_t contexts = 0;
  lacuna::mi::agreement agreement;
};

/// Four bands of the range, as far as there are contexts for them, then all together.
inline std::vector<agreement_in_band> agreement_by_blanks(std::span<const lacuna::mi::information> estimates,
                                                          std::span<const lacuna::mi::information> exact,
                                                          const blank_range& range) {
  std::vector<agreement_in_band> bands;
  const auto add = [&](std::size_t least, std::size_t most) {
    agreement_in_band band{least, most, 0, {}};
    std::vector<double> guess, truth;
    for (std::size_t i = 0; i < exact.size(); ++i) {
      if (exact[i].size() < least || exact[i].size() > most) continue;
      ++band.contexts;
      const auto g = estimates[i].cleaned();
      const auto t = exact[i].cleaned();
      for (std::size_t a = 0; a < exact[i].size(); ++a)
        for (std::size_t b = a + 1; b < exact[i].size(); ++b) {
          guess.push_back(g(a, b));
          truth.push_back(t(a, b));
        }
    }
    if (band.contexts == 0) return;
    band.agreement = lacuna::mi::agreement_of(guess, truth);
    bands.push_back(band);
  };
  const auto edge = [&](std::size_t k) { return range.least + k * (range.most + 1 - range.least) / 4; };
  for (std::size_t k = 0; k < 4; ++k)
    if (edge(k) < edge(k + 1)) add(edge(k), edge(k + 1) - 1);
  add(range.least, range.most);
  return bands;
}

}  // namespace sudoku
