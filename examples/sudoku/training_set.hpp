/// @file
/// @brief Training examples: partly blanked grids made from a pool of puzzles, a different image of one in every row.
///
/// A row is a random symmetry of a random puzzle of the pool, with n of its blanks left and the others filled in from the
/// solution; the loss is on the n blanks. n is uniform over 1 .. blanks, the states that decoding the puzzle one cell at a
/// time passes through in random order. Some rows start from the empty grid instead of the puzzle's givens: there the n blanks
/// are a uniformly random set, n uniform over 1 .. 81, the masking of a masked diffusion model.
///
/// Row b of step s depends on the seed, s and b alone, so a resumed run sees what an uninterrupted one would have seen.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "grid.hpp"
#include "lacuna/core/errors.hpp"
#include "lacuna/core/random.hpp"
#include "lacuna/core/token.hpp"
#include "lacuna/nn/example_batch.hpp"
#include "puzzle_pool.hpp"
#include "symmetry.hpp"

namespace sudoku {

/// What a step's loss is the mean of: `per_blank` weighs all blanks of the batch alike, 1 / blanks of the batch; `per_row`
/// weighs all rows alike, 1 / (B * blanks of the row): on rows that start from the empty grid, 81 times its mean is the
/// negative ELBO of a grid in nats.
enum class loss_weighting { per_blank, per_row };

struct mixture {
  double empty_grids = 0.2;    ///< share of rows that start from the empty grid instead of a puzzle's givens
  double whole_puzzles = 0.1;  ///< share of the other rows that keep all their blanks
  loss_weighting weighting = loss_weighting::per_blank;
};

/// The examples of a run. Holds the pool, and the memory of one batch.
class training_set {
 public:
  training_set(std::vector<solved_puzzle> pool, std::uint64_t seed, std::size_t rows, mixture mix = {})
      : pool_{std::move(pool)}, seed_{seed}, rows_{rows}, mix_{mix} {
    if (pool_.empty()) throw lacuna::invalid_argument("the pool has 0 puzzles, expected at least 1");
    if (rows_ == 0) throw lacuna::invalid_argument("a batch has 0 rows, expected at least 1");
    for (const double share : {mix_.empty_grids, mix_.whole_puzzles}) {
      if (!(share >= 0 && share <= 1)) {
        throw lacuna::invalid_argument("a share of rows is " + std::to_string(share) + ", expected 0 to 1");
      }
    }
  }

  [[nodiscard]] std::size_t rows() const { return rows_; }

  /// The batch of a step; valid until the next call.
  lacuna::nn::example_batch operator()(std::size_t step) {
    inputs_.resize(rows_ * cell_count);
    targets_.resize(rows_ * cell_count);
    weights_.resize(rows_ * cell_count);
    offsets_.resize(rows_ + 1);
    std::size_t blanks = 0;
    for (std::size_t row = 0; row < rows_; ++row) {
      blanks += fill(row, step);
      offsets_[row + 1] = (row + 1) * cell_count;
    }
    if (mix_.weighting == loss_weighting::per_blank) {
      for (float& weight : weights_) weight = weight != 0 ? 1 / static_cast<float>(blanks) : 0;
    }
    return {inputs_, targets_, weights_, offsets_};
  }

 private:
  /// Writes a row and returns its number of blanks.
  std::size_t fill(std::size_t row, std::size_t step) {
    lacuna::random_stream random{seed_, lacuna::stream_use::training, row, step};
    const solved_puzzle& chosen = pool_[static_cast<std::size_t>(random.below(pool_.size()))];
    const symmetry image = random_symmetry(random);
    const grid solution = image(chosen.solution);
    const bool empty = random.bernoulli(mix_.empty_grids);
    const grid givens = empty ? grid{} : image(chosen.givens);

    std::array<std::uint8_t, cell_count> cells{};
    std::size_t count = 0;
    for (std::size_t cell = 0; cell < cell_count; ++cell) {
      if (givens[cell] == blank) cells[count++] = static_cast<std::uint8_t>(cell);
    }
    const std::span candidates{cells.data(), count};
    random.shuffle(candidates);
    const bool whole = !empty && random.bernoulli(mix_.whole_puzzles);
    const std::size_t blanks = whole ? count : 1 + static_cast<std::size_t>(random.below(count));

    const std::size_t first = row * cell_count;
    std::copy(solution.begin(), solution.end(), inputs_.begin() + static_cast<std::ptrdiff_t>(first));
    std::copy(solution.begin(), solution.end(), targets_.begin() + static_cast<std::ptrdiff_t>(first));
    std::fill_n(weights_.begin() + static_cast<std::ptrdiff_t>(first), cell_count, 0.0F);
    for (const std::uint8_t cell : candidates.first(blanks)) {
      inputs_[first + cell] = blank;
      weights_[first + cell] = 1 / (static_cast<float>(rows_) * static_cast<float>(blanks));
    }
    return blanks;
  }

  std::vector<solved_puzzle> pool_;
  std::uint64_t seed_;
  std::size_t rows_;
  mixture mix_;
  std::vector<lacuna::token> inputs_, targets_;
  std::vector<float> weights_;
  std::vector<std::size_t> offsets_;
};

}  // namespace sudoku
