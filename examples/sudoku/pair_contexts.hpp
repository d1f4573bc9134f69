/// @file
/// @brief Contexts to train estimators of information on: what decoders meet on puzzles, and what they meet making whole grids.
///
/// A chunk is of 64 contexts that depend on its number and stream alone (train/labelling.hpp): 24 are partly filled puzzles and
/// grids (mi_contexts.hpp), of 2 to 81 blanks; 40 are stages of ten grids that the network itself makes from nothing with
/// sampled digits, four stages each, in random order or surest first, one to three cells a pass: each the first with no more
/// than some number of blanks, 2 to 81, so that the last may have none or one. About 400 passes of one grid a chunk.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "grid.hpp"
#include "lacuna/core/canvas.hpp"
#include "lacuna/core/pace.hpp"
#include "lacuna/core/random.hpp"
#include "lacuna/draw/categorical.hpp"
#include "lacuna/order/random.hpp"
#include "lacuna/order/top_k.hpp"
#include "lacuna/rank/entropy.hpp"
#include "lacuna/sample/any_sampler.hpp"
#include "lacuna/sample/compose.hpp"
#include "lacuna/sample/run.hpp"
#include "mi_contexts.hpp"
#include "model.hpp"
#include "puzzle_pool.hpp"

namespace sudoku {

class pair_contexts {
 public:
  static constexpr std::size_t chunk_size = 64;
  static constexpr std::size_t boards = 10;
  static constexpr std::size_t stages = 4;

  /// Refers to the model. Puzzles are those of `seed`, none related to the excluded ones.
  pair_contexts(model& m, std::uint64_t seed, signature_set excluded)
      : model_{&m}, seed_{seed}, excluded_{std::move(excluded)} {}

  std::vector<lacuna::canvas> operator()(std::size_t chunk, lacuna::random_stream& random) {
    std::vector<lacuna::canvas> all;
    for (std::size_t board = 0; board < boards; ++board) add_stages(all, random);
    for (std::size_t i = all.size(); i < chunk_size; ++i) {
      const std::size_t blanks = 2 + static_cast<std::size_t>(random.below(cell_count - 1));
      all.push_back(mi_context(pool_puzzle(seed_, chunk * chunk_size + i, excluded_), blanks, {}, random));
    }
    return all;
  }

 private:
  void add_stages(std::vector<lacuna::canvas>& all, lacuna::random_stream& random) {
    std::array<std::size_t, stages> blanks{};  // a stage has at most so many
    for (std::size_t& most : blanks) most = 2 + static_cast<std::size_t>(random.below(cell_count - 1));
    std::sort(blanks.begin(), blanks.end());
    const lacuna::pace::constant pace{1 + static_cast<std::size_t>(random.below(3))};
    const lacuna::draw::categorical draw{1.0};
    const lacuna::sample::any_sampler sampler =
        random.bernoulli(0.5)
            ? lacuna::sample::any_sampler{lacuna::compose(lacuna::order::random{pace}, draw)}
            : lacuna::sample::any_sampler{lacuna::compose(lacuna::order::top_k{lacuna::rank::entropy{}, pace}, draw)};
    auto run = lacuna::start(*model_, sampler, lacuna::canvas::blank(cell_count), random.bits());
    std::size_t left = cell_count;
    for (std::size_t k = stages; k-- > 0;) {
      while (left > blanks[k]) {
        run.step();
        left = 0;
        for (std::size_t cell = 0; cell < cell_count; ++cell) left += run.sequence().is_masked(cell) ? 1U : 0U;
      }
      all.push_back(run.sequence());
    }
  }

  model* model_;
  std::uint64_t seed_;
  signature_set excluded_;
};

}  // namespace sudoku
