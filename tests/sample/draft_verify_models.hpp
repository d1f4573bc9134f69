/// @file
/// @brief A made-up network that drafts and verifies, for tests of the loop. It refuses to be called otherwise than the concept
/// says.
///
/// `logits` (of fake) says what the draft thinks of a position of a row, `target` what the verification does: of the row with
/// everything filled in that comes before the position in the order. Both depend on the whole row by default.
#pragma once

#include <algorithm>
#include <cstddef>
#include <set>
#include <span>
#include <stdexcept>
#include <vector>

#include "lacuna/concepts/draft_verify_model.hpp"
#include "tests/sample/models.hpp"

namespace lacuna::tests {

/// Between the draft and another opinion, so that some drafts are accepted and some are not.
inline void half_scrambled(std::span<const token> row, std::size_t l, std::span<float> out) {
  scrambled(row, l, out);
  for (float& v : out) v /= 2;
}

struct drafts_and_verifies : fake {
  network target = half_scrambled;
  std::size_t drafts = 0;  ///< calls of either kind; `calls` and `rows` count both
  std::size_t verifications = 0;
  std::set<std::size_t> slots_met;

  [[nodiscard]] double draft_share() const { return 0.75; }
  [[nodiscard]] double verify_share() const { return 0.25; }

  void draft(const token_batch& x, std::span<const std::size_t> slots, std::span<const std::size_t> wanted, row_sink sink) {
    ++calls;
    ++drafts;
    rows += x.shape(0);
    expect(slots.size() == x.shape(0), "a slot for each row");
    expect(std::set<std::size_t>(slots.begin(), slots.end()).size() == slots.size(), "slots that differ");
    expect(std::is_sorted(wanted.begin(), wanted.end()), "wanted positions in ascending order");
    for (std::size_t b = 0; b < slots.size(); ++b) {
      slots_met.insert(slots[b]);
      if (slots[b] >= kept_.size()) kept_.resize(slots[b] + 1);
      const auto row = row_of(x, b);
      kept_[slots[b]].assign(row.begin(), row.end());
    }
    for (std::size_t k = wanted.size(); k-- > 0;) {  // backwards: any order is allowed
      expect(x.data()[wanted[k]] == mask, "masked positions");
      select(row_of(x, wanted[k] / x.shape(1)), wanted[k] % x.shape(1), k, sink);
    }
  }

  std::size_t verify(const verify_batch& v, row_sink sink) {
    ++calls;
    ++verifications;
    rows += v.rows();
    expect(std::set<std::size_t>(v.slots.begin(), v.slots.end()).size() == v.rows(), "slots that differ");
    std::size_t k = 0;
    for (std::size_t b = 0; b < v.rows(); ++b) {
      expect(v.slots[b] < kept_.size() && kept_[v.slots[b]].size() == v.length(), "a slot that was drafted");
      filled_ = kept_[v.slots[b]];  // a prompt may hold the mask's id, so that what was masked cannot be told from it
      const auto order = v.order(b);
      expect(std::set<std::size_t>(order.begin(), order.end()).size() == order.size() &&
                 *std::max_element(order.begin(), order.end()) == v.length() - 1,
             "a permutation");
      expect(v.first[b] < v.last[b] && v.last[b] <= v.length(), "tracks that there are");
      bool in_gaps = false;
      for (std::size_t d = 0; d < v.last[b]; ++d) {
        const std::size_t i = order[d];
        const token t = v.row(b)[i];
        if (d >= v.first[b]) {
          expect(filled_[i] == mask, "masked tracks");
          one_.resize(vocabulary);
          target(filled_, i, one_);
          sink(k++, one_);
        }
        if (filled_[i] != mask) expect(t == filled_[i] && !in_gaps, "what is known first");
        in_gaps = in_gaps || t != filled_[i];
        if (d + 1 < v.last[b]) filled_[i] = t;
      }
    }
    return v.rows();
  }

 private:
  static void expect(bool holds, const char* what) {
    if (!holds) throw std::logic_error(std::string("drafts_and_verifies: expected ") + what);
  }
  std::vector<std::vector<token>> kept_;
  std::vector<token> filled_;
};

/// The same with the verified rows handed out backwards.
struct verifies_backwards : drafts_and_verifies {
  std::size_t verify(const verify_batch& v, row_sink sink) {
    std::vector<std::vector<float>> out;
    const std::size_t took = drafts_and_verifies::verify(
        v, [&](std::size_t, std::span<const float> row) { out.emplace_back(row.begin(), row.end()); });
    for (std::size_t k = out.size(); k-- > 0;) sink(k, out[k]);
    return took;
  }
};

static_assert(draft_verify_model<drafts_and_verifies> && draft_verify_model<verifies_backwards>);
static_assert(!decodable_model<drafts_and_verifies>);

}  // namespace lacuna::tests
