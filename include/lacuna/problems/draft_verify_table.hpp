/// @file
/// @brief A draft_verify_model whose drafts and targets are known numbers: the reference for speculative sampling.
///
/// The draft of a position is a distribution that depends on the tokens revealed in the draft pass and where they stand; its
/// target on these, and on the tokens filled in since then, where they stand and in which order they come. All are made from a
/// seed, so that `draft_probabilities` and `target_probabilities` give the truth in double and any length will do. Choose `of`
/// for a model that verifies with the exact conditionals of a joint distribution and drafts with its one-at-a-time marginals:
/// what is sampled from it must have that joint.
///
/// ```cpp
/// auto model = lacuna::problems::draft_verify_table::random(3, 7);  // 3 states, seed 7
/// auto same = model.target_as_draft();                              // q = p: nothing may be rejected
/// auto hole = model.target_without_best();                          // q = 0 for the token that p likes best
/// auto sure = model.one_hot_draft();                                // p puts all mass on one token
/// auto exact = lacuna::problems::draft_verify_table::of(lacuna::problems::joint_table::random(4, 3, 7));
/// ```
/// Cost: O(L + V) a row once its context has been met, and every context met is remembered: for short sequences of few states.
/// Rows of `draft` and `verify` are remembered under their slots. Throws invalid_argument for what contradicts the concept: a
/// slot that was not drafted, an order that does not begin with what was revealed then or with other tokens there, a track of
/// it that is asked for, a token behind it that is none of the states.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "lacuna/concepts/draft_verify_model.hpp"
#include "lacuna/core/batch.hpp"
#include "lacuna/core/errors.hpp"
#include "lacuna/core/random.hpp"
#include "lacuna/core/row.hpp"
#include "lacuna/core/token.hpp"
#include "lacuna/core/verify_batch.hpp"
#include "lacuna/problems/joint_table.hpp"

namespace lacuna::problems {

class draft_verify_table {
 public:
  /// Logits sharpness · Gumbel, different in every context: 0 is uniform, 1 moderate, 3 nearly sure.
  static draft_verify_table random(std::size_t states, std::uint64_t seed, double sharpness = 1) {
    if (states == 0) throw invalid_argument("draft_verify_table: 0 states, expected at least 1");
    draft_verify_table t;
    t.states_ = states;
    t.seed_ = seed;
    t.sharpness_ = sharpness;
    return t;
  }
  /// Targets P(x_i | revealed and filled in), drafts P(x_i | revealed) of the joint distribution.
  static draft_verify_table of(joint_table joint) {
    draft_verify_table t = random(joint.states(), 0);
    t.joint_ = std::move(joint);
    return t;
  }

  // ---- Variants of either
  /// The target of every track is its draft, whatever has been filled in.
  [[nodiscard]] draft_verify_table target_as_draft() const { return with(&draft_verify_table::target_as_draft_); }
  /// All mass of the draft on its most likely token (before any change of the target: the target stays what it was).
  [[nodiscard]] draft_verify_table one_hot_draft() const { return with(&draft_verify_table::one_hot_draft_); }
  /// All mass of the target on its most likely token.
  [[nodiscard]] draft_verify_table one_hot_target() const { return with(&draft_verify_table::one_hot_target_); }
  /// The target never allows the token that the draft of the position likes best; needs two states.
  [[nodiscard]] draft_verify_table target_without_best() const {
    if (states_ < 2) throw invalid_argument("draft_verify_table: target_without_best() of 1 state, expected at least 2");
    return with(&draft_verify_table::target_without_best_);
  }

  // ---- the model
  [[nodiscard]] std::size_t vocabulary_size() const { return states_ + 1; }
  [[nodiscard]] token mask_token() const { return static_cast<token>(states_); }
  [[nodiscard]] std::size_t max_length() const {
    return joint_ ? joint_->max_length() : std::numeric_limits<std::size_t>::max();
  }
  [[nodiscard]] double draft_share() const { return 11.0 / 12.0; }
  [[nodiscard]] double verify_share() const { return 1.0 / 12.0; }

  void draft(const token_batch& x, std::span<const std::size_t> slots, std::span<const std::size_t> wanted, row_sink sink) {
    const std::size_t length = x.shape(1);
    for (std::size_t b = 0; b < slots.size(); ++b) {
      if (slots[b] >= kept_.size()) kept_.resize(slots[b] + 1);
      kept_[slots[b]].assign(x.data() + b * length, x.data() + (b + 1) * length);
      check_revealed(kept_[slots[b]]);
    }
    for (std::size_t k = 0; k < wanted.size(); ++k) {
      const std::vector<token>& revealed = kept_[slots[wanted[k] / length]];
      sink(k, draft_row(revealed, context_of(revealed), wanted[k] % length));
    }
  }

  std::size_t verify(const verify_batch& v, row_sink sink) {
    std::size_t k = 0;
    for (std::size_t b = 0; b < v.rows(); ++b) {
      if (v.slots[b] >= kept_.size() || kept_[v.slots[b]].size() != v.length())
        throw invalid_argument("draft_verify_table: slot " + std::to_string(v.slots[b]) + " with " +
                               std::to_string(v.length()) + " tracks, expected one that was drafted with that length");
      const std::vector<token>& revealed = kept_[v.slots[b]];
      check_tracks(revealed, v.order(b), v.row(b), v.first[b], v.last[b]);
      const std::size_t known = known_in(revealed);
      std::uint64_t context = context_of(revealed);
      for (std::size_t d = known; d < v.last[b]; ++d) {
        if (d >= v.first[b]) sink(k++, target_row(revealed, v.order(b), v.row(b), context, d));
        if (d + 1 < v.last[b]) context = filled_in(context, v.order(b)[d], v.row(b)[v.order(b)[d]]);
      }
    }
    return v.rows();
  }

  // ---- the truth
  [[nodiscard]] std::size_t states() const { return states_; }
  /// p of a masked position [states], given the tokens of `revealed` [L], in which masks stand for what is not known.
  [[nodiscard]] std::vector<double> draft_probabilities(std::span<const token> revealed, std::size_t position) const {
    check_revealed(revealed);
    return probabilities(draft_logits(revealed, context_of(revealed), position));
  }
  /// q of track d of `order` [states], given the tokens revealed in the draft pass and `tokens` [L] at order[0 .. d).
  [[nodiscard]] std::vector<double> target_probabilities(std::span<const token> revealed, std::span<const std::size_t> order,
                                                         std::size_t d, std::span<const token> tokens) const {
    check_revealed(revealed);
    check_tracks(revealed, order, tokens, d, d + 1);
    std::uint64_t context = context_of(revealed);
    for (std::size_t e = known_in(revealed); e < d; ++e) context = filled_in(context, order[e], tokens[order[e]]);
    return probabilities(target_logits(revealed, order, tokens, context, d));
  }

 private:
  draft_verify_table() = default;

  [[nodiscard]] draft_verify_table with(bool draft_verify_table::*variant) const {
    draft_verify_table t = *this;
    t.*variant = true;
    t.drafts_met_.clear();
    t.targets_met_.clear();
    return t;
  }

  // ---- What a context is: a number that stands for all that the distributions depend on
  static std::uint64_t fold(std::uint64_t context, std::uint64_t value) {
    context = (context ^ value) * 0x9E3779B97F4A7C15U;
    context ^= context >> 29U;
    context *= 0xBF58476D1CE4E5B9U;
    return context ^ (context >> 32U);
  }
  [[nodiscard]] static std::uint64_t filled_in(std::uint64_t context, std::size_t position, token t) {
    return fold(fold(context, position + 1), static_cast<std::uint64_t>(t) + 1);
  }
  [[nodiscard]] std::uint64_t context_of(std::span<const token> revealed) const {
    std::uint64_t context = fold(seed_, revealed.size());
    for (const token t : revealed) context = fold(context, static_cast<std::uint64_t>(t));
    return context;
  }
  [[nodiscard]] std::size_t known_in(std::span<const token> revealed) const {
    return revealed.size() - static_cast<std::size_t>(std::count(revealed.begin(), revealed.end(), mask_token()));
  }

  // ---- Logits [V], made
  [[nodiscard]] std::vector<float> random_logits(std::uint64_t context, std::size_t position, std::uint64_t which) const {
    std::vector<float> row(vocabulary_size(), -std::numeric_limits<float>::infinity());
    random_stream rng(context, stream_use::other, which, 0, position);
    for (std::size_t v = 0; v < states_; ++v) row[v] = static_cast<float>(sharpness_ * rng.gumbel());
    return row;
  }
  [[nodiscard]] std::vector<float> joint_logits(std::span<const token> row, std::size_t position) const {
    const tensor<double, 2> all = conditionals(*joint_, row);
    std::vector<float> out(vocabulary_size(), -std::numeric_limits<float>::infinity());
    for (std::size_t v = 0; v < states_; ++v) out[v] = static_cast<float>(std::log(all(position, v)));
    return out;
  }
  static std::size_t best_of(std::span<const float> row) {
    return static_cast<std::size_t>(std::max_element(row.begin(), row.end()) - row.begin());
  }
  static void keep_best(std::span<float> row) {
    const std::size_t best = best_of(row);
    for (std::size_t v = 0; v < row.size(); ++v)
      if (v != best) row[v] = -std::numeric_limits<float>::infinity();
  }
  [[nodiscard]] std::vector<float> draft_logits(std::span<const token> revealed, std::uint64_t context,
                                                std::size_t position) const {
    std::vector<float> row = joint_ ? joint_logits(revealed, position) : random_logits(context, position, 0);
    if (one_hot_draft_) keep_best(row);
    return row;
  }
  [[nodiscard]] std::vector<float> target_logits(std::span<const token> revealed, std::span<const std::size_t> order,
                                                 std::span<const token> tokens, std::uint64_t context, std::size_t d) const {
    const std::size_t position = order[d];
    std::vector<float> row;
    if (target_as_draft_) {
      row = draft_logits(revealed, context_of(revealed), position);
    } else if (joint_) {
      std::vector<token> filled(revealed.begin(), revealed.end());
      for (std::size_t e = 0; e < d; ++e) filled[order[e]] = tokens[order[e]];
      row = joint_logits(filled, position);
    } else {
      row = random_logits(context, position, 1);
    }
    if (target_without_best_) {
      const std::size_t best = best_of(draft_logits(revealed, context_of(revealed), position));
      row[best] = -std::numeric_limits<float>::infinity();
      if (std::all_of(row.begin(), row.end(), [](float x) { return x == -std::numeric_limits<float>::infinity(); }))
        row[best == 0 ? 1 : 0] = 0;
    }
    if (one_hot_target_) keep_best(row);
    return row;
  }

  // ---- Logits [V], remembered
  [[nodiscard]] const std::vector<float>& draft_row(std::span<const token> revealed, std::uint64_t context,
                                                    std::size_t position) {
    std::vector<float>& row = drafts_met_[fold(context, position)];
    if (row.empty()) row = draft_logits(revealed, context, position);
    return row;
  }
  [[nodiscard]] const std::vector<float>& target_row(std::span<const token> revealed, std::span<const std::size_t> order,
                                                     std::span<const token> tokens, std::uint64_t context, std::size_t d) {
    std::vector<float>& row = targets_met_[fold(context, order[d])];
    if (row.empty()) row = target_logits(revealed, order, tokens, context, d);
    return row;
  }
  [[nodiscard]] std::vector<double> probabilities(std::span<const float> logits) const {
    std::vector<double> p(logits.begin(), logits.begin() + static_cast<std::ptrdiff_t>(states_));
    normalize_row(p);
    for (double& v : p) v = std::exp(v);
    return p;
  }

  // ---- What the concept promises
  void check_revealed(std::span<const token> revealed) const {
    for (std::size_t i = 0; i < revealed.size(); ++i)
      if (revealed[i] < 0 || revealed[i] > mask_token())
        throw invalid_argument("draft_verify_table: token " + std::to_string(revealed[i]) + " at position " +
                               std::to_string(i) + ", expected 0 to " + std::to_string(mask_token()));
  }
  void check_tracks(std::span<const token> revealed, std::span<const std::size_t> order, std::span<const token> tokens,
                    std::size_t first, std::size_t last) const {
    const std::size_t known = known_in(revealed);
    if (first < known || last <= first || last > revealed.size())
      throw invalid_argument("draft_verify_table: tracks " + std::to_string(first) + " to " + std::to_string(last) +
                             " are wanted, expected some of " + std::to_string(known) + " to " +
                             std::to_string(revealed.size()));
    for (std::size_t d = 0; d < last; ++d) {
      const std::size_t i = order[d];
      if (i >= revealed.size() || (revealed[i] != mask_token()) != (d < known))
        throw invalid_argument("draft_verify_table: position " + std::to_string(i) + " at track " + std::to_string(d) +
                               ", expected the " + std::to_string(known) + " known positions first, then masked ones");
      if (d + 1 >= last) continue;
      if (d < known ? tokens[i] != revealed[i] : tokens[i] < 0 || tokens[i] >= mask_token())
        throw invalid_argument(
            "draft_verify_table: token " + std::to_string(tokens[i]) + " at position " + std::to_string(i) + ", expected " +
            (d < known ? std::to_string(revealed[i]) : "0 to " + std::to_string(static_cast<std::size_t>(mask_token()) - 1)));
    }
  }

  std::size_t states_ = 0;
  std::uint64_t seed_ = 0;
  double sharpness_ = 1;
  std::optional<joint_table> joint_;
  bool target_as_draft_ = false;
  bool one_hot_draft_ = false;
  bool one_hot_target_ = false;
  bool target_without_best_ = false;

  std::vector<std::vector<token>> kept_;  // by slot: the row as it was drafted
  std::unordered_map<std::uint64_t, std::vector<float>> drafts_met_;
  std::unordered_map<std::uint64_t, std::vector<float>> targets_met_;
};

static_assert(draft_verify_model<draft_verify_table>);

}  // namespace lacuna::problems
