/// @file
/// @brief A backtracking solver that counts solutions up to a limit.
///
/// Each unit keeps the set of digits it still lacks as nine bits. A scan over the open cells fills cells with one candidate
/// (naked singles), then digits with one place in a unit (hidden singles); where neither is left it guesses at a cell with
/// the fewest candidates. Some microseconds for a puzzle with about 25 givens.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "check.hpp"
#include "grid.hpp"

namespace sudoku {

/// The default order of guesses: the lowest digit first.
struct lowest_digit {
  constexpr unsigned operator()(unsigned candidates) const { return candidates & (~candidates + 1); }
};

/// The solver. `Pick` chooses the digit that a guess tries first: `pick(set) -> set with that one bit`, bit d - 1 for digit d.
template <class Pick = lowest_digit>
class solver {
 public:
  explicit solver(Pick pick = {}) : pick_{pick} {}

  /// Number of solutions of `puzzle`, at most `limit`; 0 when the givens conflict. Cells are guessed at in the order in which
  /// `order` lists them where their candidates are equally few.
  std::size_t count(const grid& puzzle, std::size_t limit, const std::array<std::uint8_t, cell_count>& order = reading_order) {
    found_ = 0;
    limit_ = limit;
    if (limit == 0 || !is_consistent(puzzle)) return 0;
    state start;
    start.cells = puzzle;
    for (const std::uint8_t cell : order) {
      if (puzzle[cell] == blank) {
        start.open[start.open_count++] = cell;
      } else {
        start.take(cell, 1U << (puzzle[cell] - 1));
      }
    }
    search(start);
    return found_;
  }

  /// The first solution that the last `count` found; meaningful when it found one.
  [[nodiscard]] const grid& solution() const { return solution_; }

  static constexpr std::array<std::uint8_t, cell_count> reading_order = [] {
    std::array<std::uint8_t, cell_count> all{};
    for (std::size_t cell = 0; cell < cell_count; ++cell) all[cell] = static_cast<std::uint8_t>(cell);
    return all;
  }();

 private:
  struct place {
    std::uint8_t row, column, box;  // as indices of units
  };
  static constexpr std::array<place, cell_count> places = [] {
    std::array<place, cell_count> all{};
    for (std::size_t cell = 0; cell < cell_count; ++cell) {
      all[cell] = {static_cast<std::uint8_t>(row_of(cell)), static_cast<std::uint8_t>(9 + column_of(cell)),
                   static_cast<std::uint8_t>(18 + box_of(cell))};
    }
    return all;
  }();

  struct state {
    std::array<std::uint16_t, 27> lacking = full();  // digits that a unit still lacks
    std::array<std::uint8_t, cell_count> open;       // blank cells, the first open_count
    std::size_t open_count = 0;
    grid cells;

    [[nodiscard]] unsigned candidates(std::size_t cell) const {
      const place p = places[cell];
      return static_cast<unsigned>(lacking[p.row] & lacking[p.column] & lacking[p.box]);
    }
    void take(std::size_t cell, unsigned bit) {
      const place p = places[cell];
      for (const std::uint8_t unit : {p.row, p.column, p.box}) lacking[unit] = static_cast<std::uint16_t>(lacking[unit] & ~bit);
    }
    void fill(std::size_t k, unsigned bit) {  // the k-th open cell
      const std::size_t cell = open[k];
      take(cell, bit);
      cells[cell] = static_cast<std::int8_t>(std::countr_zero(bit) + 1);
      open[k] = open[--open_count];
    }
    static constexpr std::array<std::uint16_t, 27> full() {
      std::array<std::uint16_t, 27> all{};
      for (std::uint16_t& digits : all) digits = 0x1FF;
      return all;
    }
  };

  void search(state& s) {
    for (;;) {
      std::array<std::uint16_t, 27> once{}, twice{};  // digits with at least one and at least two places in a unit
      std::size_t best = 0;
      int fewest = 10;
      bool filled = false;
      for (std::size_t k = 0; k < s.open_count;) {
        const std::size_t cell = s.open[k];
        const unsigned set = s.candidates(cell);
        if (set == 0) return;
        if (std::has_single_bit(set)) {
          s.fill(k, set);
          filled = true;
          continue;
        }
        const place p = places[cell];
        for (const std::uint8_t unit : {p.row, p.column, p.box}) {
          twice[unit] = static_cast<std::uint16_t>(twice[unit] | (once[unit] & set));
          once[unit] = static_cast<std::uint16_t>(once[unit] | set);
        }
        if (const int n = std::popcount(set); n < fewest) fewest = n, best = k;
        ++k;
      }
      if (s.open_count == 0) {
        if (found_++ == 0) solution_ = s.cells;
        return;
      }
      if (filled) continue;

      unsigned any = 0;
      for (std::size_t unit = 0; unit < 27; ++unit) {
        if ((s.lacking[unit] & ~once[unit]) != 0) return;  // a digit without a place
        once[unit] = static_cast<std::uint16_t>(once[unit] & ~twice[unit]);
        any |= once[unit];
      }
      if (any != 0) {
        for (std::size_t k = 0; k < s.open_count;) {
          const std::size_t cell = s.open[k];
          const place p = places[cell];
          const unsigned hidden = s.candidates(cell) & (once[p.row] | once[p.column] | once[p.box]);
          if (hidden == 0) {
            ++k;
          } else if (std::has_single_bit(hidden)) {
            s.fill(k, hidden);
          } else {
            return;  // two digits with this one place
          }
        }
        continue;
      }

      for (unsigned rest = s.candidates(s.open[best]); rest != 0 && found_ < limit_;) {
        const unsigned bit = pick_(rest);
        rest &= ~bit;
        state guess = s;
        guess.fill(best, bit);
        search(guess);
      }
      return;
    }
  }

  Pick pick_;
  std::size_t found_ = 0, limit_ = 0;
  grid solution_{};
};

/// Exactly one solution?
inline bool has_one_solution(const grid& puzzle) { return solver<>{}.count(puzzle, 2) == 1; }

}  // namespace sudoku
