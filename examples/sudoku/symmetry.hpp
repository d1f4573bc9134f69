/// @file
/// @brief The symmetries of Sudoku, and a signature of a full grid that they do not change.
///
/// Symmetries: relabelling the digits, permuting the rows of a band, the bands, the columns of a stack, the stacks, and
/// transposition: 2 * 6^8 * 9! of them. A random one makes a new training example of an old puzzle. The signature tells
/// whether two grids can be images of each other: keeping every training grid out whose signature occurs in an evaluation
/// file keeps all images of its puzzles out.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "grid.hpp"
#include "lacuna/core/random.hpp"
#include "lacuna/core/scatter.hpp"

namespace sudoku {

/// The image of `g` has the digit `digit[g[from[cell]]]` in `cell`.
struct symmetry {
  std::array<std::int8_t, 10> digit;  // digit[0] is 0: blanks stay blanks
  std::array<std::uint8_t, cell_count> from;

  constexpr grid operator()(const grid& g) const {
    grid image{};
    for (std::size_t cell = 0; cell < cell_count; ++cell) {
      image[cell] = digit[static_cast<std::size_t>(g[from[cell]])];
    }
    return image;
  }
};

/// A uniformly random symmetry.
inline symmetry random_symmetry(lacuna::random_stream& random) {
  const auto lines = [&random] {  // nine rows or columns in an order that keeps bands together
    std::array<std::size_t, 3> bands{0, 1, 2};
    random.shuffle<std::size_t>(bands);
    std::array<std::size_t, 9> order{};
    for (std::size_t band = 0; band < 3; ++band) {
      std::array<std::size_t, 3> within{0, 1, 2};
      random.shuffle<std::size_t>(within);
      for (std::size_t k = 0; k < 3; ++k) order[3 * band + k] = 3 * bands[band] + within[k];
    }
    return order;
  };
  symmetry s{};
  std::array<std::int8_t, 9> digits{1, 2, 3, 4, 5, 6, 7, 8, 9};
  random.shuffle<std::int8_t>(digits);
  for (std::size_t k = 0; k < 9; ++k) s.digit[k + 1] = digits[k];
  const auto rows = lines();
  const auto columns = lines();
  const bool transposed = random.below(2) == 1;
  for (std::size_t cell = 0; cell < cell_count; ++cell) {
    const std::size_t row = rows[row_of(cell)];
    const std::size_t column = columns[column_of(cell)];
    s.from[cell] = static_cast<std::uint8_t>(transposed ? 9 * column + row : 9 * row + column);
  }
  return s;
}

namespace detail {

constexpr std::uint64_t mixed(std::uint64_t x) { return lacuna::scatter(x + 0x9E3779B97F4A7C15U); }

/// Cycle type of the permutation of the digits that maps line a onto line b, cell by cell, as a sum over its cycles.
constexpr std::uint64_t cycle_type(const std::array<std::uint8_t, 9>& a, const std::array<std::uint8_t, 9>& b) {
  std::array<std::uint8_t, 9> to{};
  for (std::size_t k = 0; k < 9; ++k) to[a[k]] = b[k];
  std::uint64_t type = 0;
  unsigned seen = 0;
  for (std::size_t start = 0; start < 9; ++start) {
    std::size_t length = 0;
    for (std::size_t digit = start; (seen & (1U << digit)) == 0; digit = to[digit]) {
      seen |= 1U << digit;
      ++length;
    }
    if (length != 0) type += std::uint64_t{1} << (4 * length);  // at most four cycles of a length, none of length 1
  }
  return type;
}

}  // namespace detail

/// The same for a full, valid grid and all its images; different for nearly all pairs of grids that are not images of each
/// other. Three microseconds.
///
/// A symmetry relabels digits (a cycle type stays), moves lines within and between bands (so types are gathered in sums, which
/// forget an order: per line, per band, per direction), and may swap the two directions (one more sum).
constexpr std::uint64_t signature(const grid& full) {
  std::uint64_t both = 0;
  for (const bool transposed : {false, true}) {
    std::array<std::array<std::uint8_t, 9>, 9> line{};
    for (std::size_t i = 0; i < 9; ++i) {
      for (std::size_t k = 0; k < 9; ++k) line[i][k] = static_cast<std::uint8_t>(full[transposed ? 9 * k + i : 9 * i + k] - 1);
    }
    std::array<std::array<std::uint64_t, 9>, 9> type{};
    for (std::size_t i = 0; i < 9; ++i) {
      for (std::size_t j = 0; j < i; ++j) type[i][j] = type[j][i] = detail::mixed(detail::cycle_type(line[i], line[j]));
    }
    std::uint64_t direction = 0;
    for (std::size_t band = 0; band < 3; ++band) {
      std::uint64_t of_band = 0;
      for (std::size_t i = 3 * band; i < 3 * band + 3; ++i) {
        std::uint64_t of_line = 0;
        for (std::size_t other = 0; other < 3; ++other) {
          std::uint64_t towards = 0;
          for (std::size_t j = 3 * other; j < 3 * other + 3; ++j) towards += i == j ? 0 : type[i][j];
          of_line += detail::mixed(towards + (other == band ? 1U : 0U));
        }
        of_band += detail::mixed(of_line);
      }
      direction += detail::mixed(of_band);
    }
    both += detail::mixed(direction);
  }
  return both;
}

}  // namespace sudoku
