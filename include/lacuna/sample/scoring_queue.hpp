/// @file
/// @brief The rows that wait for the next call of the model, whoever asked for them.
#pragma once

#include <cassert>
#include <cstddef>
#include <span>
#include <vector>

#include "lacuna/core/cost.hpp"
#include "lacuna/core/token.hpp"

namespace lacuna {

/// Canvases to be scored together, each with the positions whose logits are wanted, its owner and its purpose. Clearing keeps
/// the memory, so that a steady run allocates nothing.
class scoring_queue {
 public:
  void clear() {
    entries_.clear();
    tokens_.clear();
    wanted_.clear();
  }

  /// Appends a row of `length` tokens and returns them for writing; the span ends with the next `add`.
  std::span<token> add(std::size_t owner, purpose why, std::size_t length) {
    entries_.push_back({owner, why, tokens_.size(), length, wanted_.size(), 0});
    tokens_.resize(tokens_.size() + length);
    wanted_.reserve(tokens_.capacity());  // later steps may want more positions than the first one did
    return std::span{tokens_}.last(length);
  }

  /// The row added last wants the logits of this position; ascending.
  void want(std::size_t position) {
    assert(!entries_.empty() && position < entries_.back().length);
    wanted_.push_back(position);
    ++entries_.back().wanted_count;
  }

  [[nodiscard]] std::size_t rows() const { return entries_.size(); }
  [[nodiscard]] bool empty() const { return entries_.empty(); }
  [[nodiscard]] std::size_t owner(std::size_t r) const { return entries_[r].owner; }
  [[nodiscard]] purpose why(std::size_t r) const { return entries_[r].why; }
  [[nodiscard]] std::size_t length(std::size_t r) const { return entries_[r].length; }
  [[nodiscard]] std::span<const token> tokens(std::size_t r) const {
    return std::span{tokens_}.subspan(entries_[r].first_token, entries_[r].length);
  }
  [[nodiscard]] std::span<const std::size_t> wanted(std::size_t r) const {
    return std::span{wanted_}.subspan(entries_[r].first_wanted, entries_[r].wanted_count);
  }

 private:
  struct entry {
    std::size_t owner;
    purpose why;
    std::size_t first_token;
    std::size_t length;
    std::size_t first_wanted;
    std::size_t wanted_count;
  };
  std::vector<entry> entries_;
  std::vector<token> tokens_;
  std::vector<std::size_t> wanted_;
};

/// What rows [first, last) of a queue cost the one who asked for them: rows by purpose, and one call for each purpose, however
/// the rows are spread over the calls of the model.
inline nfe cost_of(const scoring_queue& queue, std::size_t first, std::size_t last) {
  nfe cost;
  for (std::size_t r = first; r < last; ++r) {
    nfe::count& count = cost.of(queue.why(r));
    count.calls = 1;
    ++count.rows;
  }
  return cost;
}

}  // namespace lacuna
