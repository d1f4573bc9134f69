/// @file
/// @brief probe_list: what-if questions to the model: the canvas with some of its gaps filled, and whose rows are wanted then.
///
/// ```cpp
/// probes.add();            // the canvas as it is,
/// probes.put(3, 7);        // but with token 7 at position 3:
/// probes.want(0);          // what does the model say of position 0,
/// probes.want(5);          // and of 5?
/// ```
/// Everything is in positions of the sequence. Clearing keeps the memory. A round of probes is limited (`room`), so that what
/// is held at a time does not grow with the vocabulary: who has more to ask asks in several rounds.
#pragma once

#include <cassert>
#include <cstddef>
#include <span>
#include <vector>

#include "lacuna/core/token.hpp"

namespace lacuna {

/// A token put at a masked position.
struct filled_gap {
  std::size_t position = 0;
  token value = 0;
  friend bool operator==(const filled_gap&, const filled_gap&) = default;
};

class probe_list {
 public:
  /// Probes of one canvas in a round, at most.
  static constexpr std::size_t usual_most = 4096;

  /// Empties the list.
  void clear(std::size_t most = usual_most) {
    most_ = most;
    entries_.clear();
    filled_.clear();
    wanted_.clear();
  }

  /// Appends a probe.
  void add() { entries_.push_back({filled_.size(), 0, wanted_.size(), 0}); }
  /// The probe added last shows `value` at a masked position.
  void put(std::size_t position, token value) {
    assert(!entries_.empty());
    filled_.push_back({position, value});
    ++entries_.back().filled_count;
  }
  /// The probe added last wants the row of this position, masked and not filled; ascending.
  void want(std::size_t position) {
    assert(!entries_.empty() && (entries_.back().wanted_count == 0 || wanted_.back() < position));
    wanted_.push_back(position);
    ++entries_.back().wanted_count;
  }

  [[nodiscard]] std::size_t size() const { return entries_.size(); }
  [[nodiscard]] bool empty() const { return entries_.empty(); }
  /// How many more probes this round takes.
  [[nodiscard]] std::size_t room() const { return size() < most_ ? most_ - size() : 0; }
  [[nodiscard]] std::span<const filled_gap> filled(std::size_t r) const {
    return std::span{filled_}.subspan(entries_[r].first_filled, entries_[r].filled_count);
  }
  [[nodiscard]] std::span<const std::size_t> wanted(std::size_t r) const {
    return std::span{wanted_}.subspan(entries_[r].first_wanted, entries_[r].wanted_count);
  }

 private:
  struct entry {
    std::size_t first_filled;
    std::size_t filled_count;
    std::size_t first_wanted;
    std::size_t wanted_count;
  };
  std::size_t most_ = usual_most;
  std::vector<entry> entries_;
  std::vector<filled_gap> filled_;
  std::vector<std::size_t> wanted_;
};

}  // namespace lacuna
