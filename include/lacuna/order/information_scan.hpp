/// @file
/// @brief order::information_scan: admits positions by ascending entropy, each at a cost that grows with its dependence on
/// those already in. What order::mi_guided and order::dependence_bound are made of; it is their memory.
///
/// ```
/// U = {};  left = gamma
/// for i by ascending entropy (ties: lowest index):
///   cost = cost(H_i, lambda · Σ_{j in U} I_ij);   if cost <= left:  U += i,  left = after(left, cost, H_i)
/// ```
/// The scan works on bounds: as long as I_ij is not known it lies between 0 and min(H_i, H_j), so that many positions are in or
/// out whatever it is. Only if some are neither is the estimator asked, for the pairs that decide them, and the scan made
/// again. In a single round all such pairs are asked for; in several, first only what those that are in tell of the others: one
/// direction bounds the mean of both, and most candidates are out by that. What comes out is, to the last bit, what the scan
/// over the whole matrix gives: sums are taken in the same order, and rounding keeps an order. A candidate whose cost exceeds
/// gamma by its entropy alone is never looked at. Cost: O(m²) for the m candidates looked at, and the estimator's.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "lacuna/concepts/mi_estimator.hpp"
#include "lacuna/concepts/pair_information.hpp"
#include "lacuna/core/probe_list.hpp"
#include "lacuna/core/random.hpp"
#include "lacuna/core/selection.hpp"
#include "lacuna/core/step_view.hpp"

namespace lacuna::order {

/// The parameters of a scan. `Cost` is a function of a position's entropy and of lambda · Σ I, growing in the latter.
template <class Cost, class Budget>
struct scan_rule {
  double gamma;
  double lambda;
  std::size_t rounds;  ///< of probes in a step; in the last one all that decides is asked for
  [[no_unique_address]] Cost cost;
  [[no_unique_address]] Budget budget;
};

template <mi_estimator E>
class information_scan {
 public:
  /// Probes for what the rule cannot decide; none when it can.
  template <class Rule>
  void ask(const E& e, const Rule& rule, const step_view& view, std::size_t round, probe_list& probes,
           const step_random& rng) requires probing_mi_estimator<E> {
    if (round == 0) begin(rule, view);
    pairs_.ask(e, view, probes, rng);  // what did not go into the last round
    while (probes.empty() && scan(rule) && (round + 1 < rule.rounds ? want_some() : want_what_decides()))
      pairs_.ask(e, view, probes, rng);
  }
  void learn(const E& e, std::size_t r, std::size_t t, std::span<const double> log_p) requires probing_mi_estimator<E> {
    pairs_.learn(e, r, t, log_p);
  }

  /// The positions that the rule admits, in the order of the scan; the candidate of least entropy if it admits none.
  template <class Rule>
  void select(const E& e, const Rule& rule, const step_view& view, selection& out) {
    if constexpr (reading_mi_estimator<E>) {
      begin(rule, view);
      if (scan(rule)) {
        pairs_.read(e, view, estimator_);
        scan(rule);
      }
    }
    for (std::size_t a = 0; a < status_.size(); ++a)
      if (status_[a] == admission::yes) out.add(candidates_[a]);
    if (!out.empty()) return;
    std::size_t surest = 0;
    for (std::size_t k = 1; k < view.size(); ++k)
      if (view.entropy(k) < view.entropy(surest)) surest = k;
    out.add(surest);
  }

  /// Remembers nothing from step to step; keeps its memory.
  void reset() {}

 private:
  enum class admission : std::uint8_t { no, yes, open };

  template <class Rule>
  void begin(const Rule& rule, const step_view& view) {
    candidates_.reserve(view.sequence->size());
    status_.reserve(view.sequence->size());
    matters_.reserve(view.sequence->size());
    candidates_.clear();
    for (std::size_t k = 0; k < view.size(); ++k)
      if (rule.cost(view.entropy(k), 0.0) <= rule.gamma) candidates_.push_back(k);
    std::sort(candidates_.begin(), candidates_.end(), [&](std::size_t a, std::size_t b) {
      return view.entropy(a) != view.entropy(b) ? view.entropy(a) < view.entropy(b) : a < b;
    });
    pairs_.begin(view, candidates_);
  }

  /// Decides what can be decided; whether something is left open.
  template <class Rule>
  bool scan(const Rule& rule) {
    const std::size_t m = candidates_.size();
    status_.assign(m, admission::no);
    matters_.assign(m, 0);
    undecided_ = 0;
    double least_left = rule.gamma;
    double most_left = rule.gamma;
    for (std::size_t a = 0; a < m; ++a) {
      double least = 0;
      double most = 0;
      for (std::size_t b = 0; b < a; ++b) {
        if (status_[b] == admission::no) continue;
        if (status_[b] == admission::yes) least += rule.lambda * pairs_.least(a, b);
        most += rule.lambda * pairs_.most(a, b);
      }
      const double h = pairs_.entropy(a);
      const double least_cost = rule.cost(h, least);
      const double most_cost = rule.cost(h, most);
      if (most_cost <= least_left) {
        status_[a] = admission::yes;
        // its cost is of interest only if it shows in the budget
        matters_[a] = rule.budget.after(most_left, least_cost, h) != rule.budget.after(most_left, most_cost, h) ? 1 : 0;
        least_left = rule.budget.after(least_left, most_cost, h);
        most_left = rule.budget.after(most_left, least_cost, h);
      } else if (least_cost <= most_left) {
        status_[a] = admission::open;
        matters_[a] = 1;
        least_left = std::max(0.0, std::min(least_left, rule.budget.after(least_left, most_cost, h)));
        undecided_ = a + 1;
      }
    }
    return undecided_ > 0;
  }

  /// Whether knowing the information from a to b as well may help.
  [[nodiscard]] bool helps(std::size_t a, std::size_t b) const { return !pairs_.known(a, b) && pairs_.cap(a, b) > 0; }

  /// Wants what probing candidate b tells of all that may yet be in, so that it is probed once in a step.
  void want_from(std::size_t b) {
    for (std::size_t c = 0; c < candidates_.size(); ++c)
      if (c != b && status_[c] != admission::no && helps(b, c)) pairs_.want(b, c);
  }

  /// Wants the one direction from those that are in to those left open, which is enough to keep most of them out; where that is
  /// known, the other direction of the first one left open.
  bool want_some() {
    bool more = false;
    std::size_t first_open = candidates_.size();
    for (std::size_t a = 0; a < undecided_; ++a) {
      if (status_[a] != admission::open) continue;
      first_open = std::min(first_open, a);
      for (std::size_t b = 0; b < a; ++b) {
        if (status_[b] != admission::yes || !helps(b, a)) continue;
        want_from(b);
        more = true;
      }
    }
    if (more) return true;
    for (std::size_t b = 0; b < first_open && !more; ++b) more = status_[b] == admission::yes && helps(first_open, b);
    if (!more) return want_what_decides();
    want_from(first_open);
    return true;
  }

  /// Wants the pairs on which the first `undecided_` candidates depend; whether there were any that had not been wanted.
  bool want_what_decides() {
    bool more = false;
    for (std::size_t a = 0; a < undecided_; ++a) {
      if (matters_[a] == 0) continue;
      for (std::size_t b = 0; b < a; ++b) {
        if (status_[b] == admission::no || !(pairs_.least(a, b) < pairs_.most(a, b))) continue;
        pairs_.want(a, b);
        pairs_.want(b, a);
        more = true;
      }
    }
    return more;
  }

  std::vector<std::size_t> candidates_;  // [m] indices into the view, ascending by entropy
  std::vector<admission> status_;        // [m]
  std::vector<std::uint8_t> matters_;    // [m] whether the exact cost may change what follows
  std::size_t undecided_ = 0;            // candidates up to the last one left open
  pair_information<E> pairs_;
  [[no_unique_address]] memory_of<E> estimator_{};
};

}  // namespace lacuna::order
