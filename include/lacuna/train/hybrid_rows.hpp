/// @file
/// @brief The batches a hybrid transformer is trained on: rows, each in a uniform order with a uniform number revealed.
///
/// ```cpp
/// const auto window = [&](random_stream& random) {                      // any row of tokens, as a span that lasts for the
/// call
///   return std::span{text}.subspan(random.below(text.size() - 127), 128);
/// };
/// train::hybrid_rows source{window, 32};
/// train::run(net, source, options);
/// ```
/// Of a row of N tokens i = floor(N t) are revealed, t the row's level (train/masking.hpp): uniform on 0 .. N - 1. Levels that
/// are spread over the batch, the default, leave the loss's expectation as it is and take out most of the variance that comes
/// from i. A batch depends on (seed, step) alone. Cost O(N) a row.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "lacuna/core/errors.hpp"
#include "lacuna/core/random.hpp"
#include "lacuna/core/token.hpp"
#include "lacuna/train/hybrid_batch.hpp"
#include "lacuna/train/masking.hpp"

namespace lacuna::train {

/// The number of revealed tokens of a row of `length` at level t in [0, 1): uniform where t is.
inline std::size_t revealed_at(double t, std::size_t length) {
  return std::min(static_cast<std::size_t>(t * static_cast<double>(length)), length - 1);
}

/// Draws a row.
template <class D>
concept row_drawer = requires(D& draw, random_stream& random) {
  { draw(random) } -> std::convertible_to<std::span<const token>>;
};

/// Appends `row` in a uniform order with the number revealed that belongs to the level. `order` is scratch.
template <class Batch>
void add_in_random_order(std::span<const token> row, double level, Batch& batch, std::vector<std::size_t>& order,
                         random_stream& random) {
  if (row.empty()) throw invalid_argument{"hybrid_rows: a row without tokens, expected at least one"};
  order.resize(row.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  random.shuffle(std::span{order});
  batch.add(row, order, revealed_at(level, row.size()));
}

/// A source for train::run. `Levels` is one of train/masking.hpp.
template <row_drawer Draw, class Levels = stratified_levels>
class hybrid_rows {
 public:
  using batch = hybrid_batch;

  /// `rows` a batch, each from `draw`.
  hybrid_rows(Draw draw, std::size_t rows, Levels levels = {})
      : draw_{std::move(draw)}, levels_of_rows_(rows), levels_{std::move(levels)} {
    if (rows == 0) throw invalid_argument{"hybrid_rows: got 0 rows a batch, expected at least 1"};
  }

  void operator()(std::size_t /*step*/, hybrid_batch& out, random_stream& random) {
    levels_.fill(std::span{levels_of_rows_}, random);
    for (const double level : levels_of_rows_) {
      const std::span<const token> row = draw_(random);
      add_in_random_order(row, level, out, order_, random);
    }
  }

 private:
  Draw draw_;
  std::vector<double> levels_of_rows_;
  Levels levels_;
  std::vector<std::size_t> order_;
};

}  // namespace lacuna::train
