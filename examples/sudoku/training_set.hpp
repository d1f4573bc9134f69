/// @file
/// @brief Training examples: partly masked grids made from a pool of puzzles, another image of one in every row.
///
/// A row is a random symmetry of a random puzzle of the pool. Of its blanks some are masked and carry the loss, the rest is
/// filled in from the solution. Which: either a random subset, its size uniform over 1 .. blanks, the states that decoding
/// one cell at a time in random order passes through; or what easy_first.hpp leaves, the states of a decoder that fills the
/// surest cell first, often just where the easy cells have run out. Some rows stay whole puzzles, and some forget which cells
/// were given: there any cell may be masked, which is the plain training of a masked diffusion model.
/// A batch depends on the step's random stream alone (train/trainer.hpp), so a resumed run sees what it would have seen.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "easy_first.hpp"
#include "grid.hpp"
#include "lacuna/core/errors.hpp"
#include "lacuna/core/random.hpp"
#include "lacuna/core/token.hpp"
#include "lacuna/train/batch_builder.hpp"
#include "lacuna/train/masking.hpp"
#include "puzzle_pool.hpp"
#include "symmetry.hpp"

namespace sudoku {

/// What the rows of a batch are.
struct mixture {
  double full_grids = 0.2;     ///< share of rows in which any cell may be masked, not only the puzzle's blanks
  double easy_first = 0.5;     ///< share of the other rows whose easier blanks are filled in
  double stuck = 0.4;          ///< share of these that are cut where a guess is due, if the puzzle has such a place
  double whole_puzzles = 0.1;  ///< share of the remaining rows in which all blanks are masked
};

/// The tokens of a grid.
inline std::array<lacuna::token, cell_count> tokens_of(const grid& g) {
  std::array<lacuna::token, cell_count> tokens{};
  for (std::size_t cell = 0; cell < cell_count; ++cell) tokens[cell] = g[cell];
  return tokens;
}

/// A source of batches for `lacuna::train::run`. `Weight` is how a masked cell counts (train/masking.hpp): `plain_weight` for
/// the mean over masked cells, `elbo_by_count` for a bound on the likelihood.
template <lacuna::train::mask_weight Weight = lacuna::train::plain_weight>
class training_set {
 public:
  training_set(std::vector<solved_puzzle> pool, std::size_t rows, mixture mix = {}, Weight weight = {})
      : pool_{std::move(pool)}, mix_{mix}, levels_(rows), masker_{blank, weight} {
    if (pool_.empty()) throw lacuna::invalid_argument("the pool has 0 puzzles, expected at least 1");
    if (rows == 0) throw lacuna::invalid_argument("a batch has 0 rows, expected at least 1");
    for (const double share : {mix_.full_grids, mix_.easy_first, mix_.stuck, mix_.whole_puzzles}) {
      if (!(share >= 0 && share <= 1)) {
        throw lacuna::invalid_argument("a share of rows is " + std::to_string(share) + ", expected 0 to 1");
      }
    }
  }

  void operator()(std::size_t /*step*/, lacuna::train::batch_builder& batch, lacuna::random_stream& random) {
    lacuna::train::stratified_levels{}.fill(levels_, random);
    for (const double level : levels_) {
      const solved_puzzle& chosen = pool_[static_cast<std::size_t>(random.below(pool_.size()))];
      const symmetry image = random_symmetry(random);
      const auto solution = tokens_of(image(chosen.solution));
      if (random.bernoulli(mix_.full_grids)) {
        masker_.add_row(solution, level, batch, random);
        continue;
      }
      const grid givens = image(chosen.givens);
      std::array<std::uint8_t, cell_count> eligible{};
      if (random.bernoulli(mix_.easy_first)) {
        const easy_first_order order = easy_first(givens, image(chosen.solution), random);
        std::size_t filled = static_cast<std::size_t>(random.below(order.cells.size()));
        if (!order.guesses.empty() && random.bernoulli(mix_.stuck))
          filled = order.guesses[static_cast<std::size_t>(random.below(order.guesses.size()))];
        for (std::size_t k = filled; k < order.cells.size(); ++k) eligible[order.cells[k]] = 1;
        masker_.add_row(solution, eligible, 1.0, batch, random);
        continue;
      }
      for (std::size_t cell = 0; cell < cell_count; ++cell) eligible[cell] = givens[cell] == blank ? 1 : 0;
      const bool whole = random.bernoulli(mix_.whole_puzzles);
      masker_.add_row(solution, eligible, whole ? 1.0 : level, batch, random);
    }
  }

 private:
  std::vector<solved_puzzle> pool_;
  mixture mix_;
  std::vector<double> levels_;
  lacuna::train::masker<Weight> masker_;
};

}  // namespace sudoku
