/// @file
/// @brief Generated puzzles with solutions to train on, none of them related to an evaluation puzzle.
///
/// Puzzle i of seed s depends on s and i alone: the pool is the same for any number of threads, and a larger pool starts with
/// the smaller one. About 3000 puzzles a second and core, so a pool is generated anew for each run rather than kept in a file.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <unordered_set>
#include <vector>

#include "generate.hpp"
#include "grid.hpp"
#include "lacuna/core/errors.hpp"
#include "lacuna/core/random.hpp"
#include "lacuna/nn/threads.hpp"
#include "puzzle_file.hpp"
#include "solve.hpp"
#include "symmetry.hpp"

namespace sudoku {

struct solved_puzzle {
  grid givens{}, solution{};
};

using signature_set = std::unordered_set<std::uint64_t>;

/// Signatures of the solutions of `puzzles`, which are solved where they have none. A puzzle without a single solution throws
/// lacuna::invalid_argument: what is not determined cannot be kept out.
inline signature_set signatures_of(std::span<const puzzle> puzzles) {
  signature_set all;
  solver<> s;
  for (const puzzle& p : puzzles) {
    if (const std::size_t solutions = s.count(p.givens, 2); solutions != 1) {
      throw lacuna::invalid_argument("puzzle " + to_line(p.givens) + " has " +
                                     (solutions == 0 ? "no solution" : "several solutions") + ", expected one");
    }
    all.insert(signature(s.solution()));
  }
  return all;
}

/// Puzzle `index` of `seed`: minimal, with one solution whose signature is not in `excluded`.
inline solved_puzzle pool_puzzle(std::uint64_t seed, std::size_t index, const signature_set& excluded) {
  for (std::uint64_t attempt = 0;; ++attempt) {
    lacuna::random_stream random{seed, lacuna::stream_use::other, index, attempt};
    solved_puzzle made;
    made.solution = random_grid(random);
    if (excluded.contains(signature(made.solution))) continue;
    made.givens = random_puzzle(made.solution, random);
    return made;
  }
}

/// `count` puzzles of `seed`.
inline std::vector<solved_puzzle> generate_pool(std::size_t count, std::uint64_t seed, const signature_set& excluded,
                                                std::size_t threads = 1) {
  std::vector<solved_puzzle> pool(count);
  threads = std::max<std::size_t>(threads, 1);
  const auto fill = [&](std::size_t first) {
    for (std::size_t index = first; index < count; index += threads) pool[index] = pool_puzzle(seed, index, excluded);
  };
  lacuna::nn::thread_team{threads}.run(fill);
  return pool;
}

}  // namespace sudoku
