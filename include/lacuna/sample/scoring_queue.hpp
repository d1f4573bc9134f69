/// @file
/// @brief The rows that wait for the next call of the model, whoever asked for them.
///
/// A row is one of three kinds, by the call that it waits for: plain (the model's own call), to be drafted, or to be verified.
/// Its purpose is what it counts as.
#pragma once

#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "lacuna/core/cost.hpp"
#include "lacuna/core/token.hpp"

namespace lacuna {

/// The call of the model that a row waits for.
enum class row_kind : std::uint8_t { plain, draft, verify };

/// Canvases to be scored together, each with the positions whose logits are wanted, its owner and its purpose. Clearing keeps
/// the memory, so that a steady run allocates nothing.
class scoring_queue {
 public:
  /// A row to be verified, for writing: the tokens [L] by position, the order [L] of the positions.
  struct verification {
    std::span<token> tokens;
    std::span<std::size_t> order;
  };

  void clear() {
    entries_.clear();
    tokens_.clear();
    wanted_.clear();
    orders_.clear();
    of_kind_ = {};
  }

  /// Appends a row of `length` tokens and returns them for writing; the span ends with the next `add`.
  std::span<token> add(std::size_t owner, purpose why, std::size_t length) {
    return append({owner, why, row_kind::plain, 0, 0, length, 0, 0, 0});
  }

  /// Appends a row to be drafted: the model keeps under `slot` what a verification needs. Purpose draft.
  std::span<token> add_draft(std::size_t owner, std::size_t slot, std::size_t length) {
    const std::span<token> tokens = append({owner, purpose::draft, row_kind::draft, slot, 0, length, 0, 0, 0});
    orders_.reserve(tokens_.capacity());  // the verification will want them
    return tokens;
  }

  /// Appends a row whose tracks [first, last) are to be verified, on what the model keeps under `slot`. Purpose verify.
  verification add_verification(std::size_t owner, std::size_t slot, std::size_t length, std::size_t first, std::size_t last) {
    assert(first < last && last <= length);
    const std::span<token> tokens =
        append({owner, purpose::verify, row_kind::verify, slot, 0, length, orders_.size(), first, last});
    orders_.resize(orders_.size() + length);
    return {tokens, std::span{orders_}.last(length)};
  }

  /// The row added last, plain or to be drafted, wants the logits of this position; ascending.
  void want(std::size_t position) {
    assert(!entries_.empty() && position < entries_.back().length && entries_.back().kind != row_kind::verify);
    wanted_.push_back(position);
    ++entries_.back().last;
  }

  [[nodiscard]] std::size_t rows() const { return entries_.size(); }
  [[nodiscard]] bool empty() const { return entries_.empty(); }
  /// Number of rows of a kind.
  [[nodiscard]] std::size_t rows(row_kind kind) const { return of_kind_[static_cast<std::size_t>(kind)]; }

  [[nodiscard]] std::size_t owner(std::size_t r) const { return entries_[r].owner; }
  [[nodiscard]] purpose why(std::size_t r) const { return entries_[r].why; }
  [[nodiscard]] row_kind kind(std::size_t r) const { return entries_[r].kind; }
  [[nodiscard]] std::size_t slot(std::size_t r) const { return entries_[r].slot; }
  [[nodiscard]] std::size_t length(std::size_t r) const { return entries_[r].length; }
  [[nodiscard]] std::span<const token> tokens(std::size_t r) const {
    return std::span{tokens_}.subspan(entries_[r].first_token, entries_[r].length);
  }
  /// Positions; of a row that is plain or to be drafted.
  [[nodiscard]] std::span<const std::size_t> wanted(std::size_t r) const {
    assert(kind(r) != row_kind::verify);
    return std::span{wanted_}.subspan(entries_[r].begin, entries_[r].last);
  }

  // ---- of a row to be verified
  [[nodiscard]] std::span<const std::size_t> order(std::size_t r) const {
    assert(kind(r) == row_kind::verify);
    return std::span{orders_}.subspan(entries_[r].begin, entries_[r].length);
  }
  [[nodiscard]] std::size_t first_track(std::size_t r) const { return entries_[r].first; }
  [[nodiscard]] std::size_t last_track(std::size_t r) const { return entries_[r].last; }
  /// Number of tracks that are wanted.
  [[nodiscard]] std::size_t tracks(std::size_t r) const { return entries_[r].last - entries_[r].first; }

 private:
  struct entry {
    std::size_t owner;
    purpose why;
    row_kind kind;
    std::size_t slot;
    std::size_t first_token;
    std::size_t length;
    std::size_t begin;  // in wanted_ or orders_
    std::size_t first;  // tracks; 0 and the number of wanted positions if there are none
    std::size_t last;
  };

  std::span<token> append(entry e) {
    e.first_token = tokens_.size();
    if (e.kind != row_kind::verify) e.begin = wanted_.size();
    entries_.push_back(e);
    ++of_kind_[static_cast<std::size_t>(e.kind)];
    tokens_.resize(tokens_.size() + e.length);
    wanted_.reserve(tokens_.capacity());  // later steps may want more positions than the first one did
    return std::span{tokens_}.last(e.length);
  }

  std::vector<entry> entries_;
  std::vector<token> tokens_;
  std::vector<std::size_t> wanted_;
  std::vector<std::size_t> orders_;
  std::array<std::size_t, 3> of_kind_{};
};

/// What rows [first, last) of a queue cost the one who asked for them: rows by purpose, and one call for each purpose, however
/// the rows are spread over the calls of the model. `took` [rows of the queue] says what each row took of the network
/// (scorer::rows_taken); a row counts as one if it is not known.
inline nfe cost_of(const scoring_queue& queue, std::size_t first, std::size_t last, std::span<const std::size_t> took = {}) {
  nfe cost;
  for (std::size_t r = first; r < last; ++r) {
    nfe::count& count = cost.of(queue.why(r));
    count.calls = 1;
    count.rows += took.empty() ? 1 : took[r];
  }
  return cost;
}

}  // namespace lacuna
