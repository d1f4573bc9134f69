/// @file
/// @brief The canvas: a sequence with gaps, and which of its cells may still change.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "lacuna/core/errors.hpp"
#include "lacuna/core/token.hpp"

namespace lacuna {

/// The state of one position. Whether a position is masked is this flag, never the result of comparing its token with the
/// mask id: a prompt may contain the mask id as ordinary text.
enum class cell : std::uint8_t {
  fixed,      ///< given by the caller, never changes
  masked,     ///< to be decoded
  committed,  ///< decoded; only a remasking policy can mask it again
  closed      ///< behind an end of sequence that stopped the row: holds the end token, never decoded
};

/// A sequence of L positions, each masked, fixed, committed or closed. Model-independent: the token stored at a masked
/// position means nothing, a model is shown its own mask id there.
class canvas {
 public:
  canvas() = default;

  /// All L positions masked: unconditional generation.
  static canvas blank(std::size_t length) {
    return canvas(std::vector<token>(length, 0), std::vector<cell>(length, cell::masked));
  }

  /// A fixed prompt followed by masks up to `length`. Throws invalid_argument if the prompt is longer than that.
  static canvas continuation(std::span<const token> prompt, std::size_t length) {
    if (prompt.size() > length)
      throw invalid_argument("canvas: a prompt of " + std::to_string(prompt.size()) + " tokens does not fit a length of " +
                             std::to_string(length));
    canvas c = blank(length);
    for (std::size_t i = 0; i < prompt.size(); ++i) c.fix(i, prompt[i]);
    return c;
  }

  /// Infill: the positions listed in `masked` are to be decoded, all others are fixed. Throws invalid_argument for a
  /// position out of range or named twice.
  static canvas infill(std::vector<token> tokens, std::span<const std::size_t> masked) {
    canvas c(std::move(tokens), {});
    c.cells_.assign(c.tokens_.size(), cell::fixed);
    for (const std::size_t i : masked) {
      if (i >= c.size())
        throw invalid_argument("canvas: masked position " + std::to_string(i) + " in a sequence of length " +
                               std::to_string(c.size()));
      if (c.is_masked(i)) throw invalid_argument("canvas: position " + std::to_string(i) + " is masked twice");
      c.cells_[i] = cell::masked;
    }
    return c;
  }

  /// Infill where every occurrence of `blank` is a gap: for callers whose text cannot contain that id otherwise.
  static canvas infill_where(std::vector<token> tokens, token blank) {
    canvas c(std::move(tokens), {});
    c.cells_.assign(c.tokens_.size(), cell::fixed);
    for (std::size_t i = 0; i < c.size(); ++i)
      if (c.tokens_[i] == blank) c.cells_[i] = cell::masked;
    return c;
  }

  /// L.
  [[nodiscard]] std::size_t size() const { return tokens_.size(); }
  [[nodiscard]] std::span<const token> tokens() const { return tokens_; }
  [[nodiscard]] std::span<const cell> cells() const { return cells_; }
  [[nodiscard]] token operator[](std::size_t i) const { return tokens_[i]; }
  [[nodiscard]] bool is_masked(std::size_t i) const { return cells_[i] == cell::masked; }
  [[nodiscard]] bool is_fixed(std::size_t i) const { return cells_[i] == cell::fixed; }
  [[nodiscard]] bool is_committed(std::size_t i) const { return cells_[i] == cell::committed; }
  /// Number of positions in a given state; O(L).
  [[nodiscard]] std::size_t count(cell state) const {
    return static_cast<std::size_t>(std::count(cells_.begin(), cells_.end(), state));
  }

  // All four throw invalid_argument if there is no position i.

  /// The caller's token at position i.
  void fix(std::size_t i, token t) { set(i, t, cell::fixed); }
  /// A decoded token at position i.
  void commit(std::size_t i, token t) { set(i, t, cell::committed); }
  /// Position i is to be decoded (again).
  void mask(std::size_t i) {
    check(i);
    cells_[i] = cell::masked;
  }
  /// Position i lies behind the end of the sequence.
  void close(std::size_t i, token end) { set(i, end, cell::closed); }

  friend bool operator==(const canvas&, const canvas&) = default;

 private:
  canvas(std::vector<token> tokens, std::vector<cell> cells) : tokens_{std::move(tokens)}, cells_{std::move(cells)} {}
  void check(std::size_t i) const {
    if (i >= size())
      throw invalid_argument("canvas: position " + std::to_string(i) + " of a sequence of length " + std::to_string(size()) +
                             ", expected less");
  }
  void set(std::size_t i, token t, cell state) {
    check(i);
    tokens_[i] = t;
    cells_[i] = state;
  }

  std::vector<token> tokens_;
  std::vector<cell> cells_;
};

}  // namespace lacuna
