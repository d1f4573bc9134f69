/// @file
/// @brief pair_information: what is known of the information between pairs of candidates, from an estimator of either kind.
///
/// Keeps m numbered candidates of a step view, and of each ordered pair of them whether its information is known. Until it is,
/// it lies between 0 and min(H_a, H_b). What an estimator says is cleaned: clamped into that range, which a joint distribution
/// never leaves, and averaged with the other direction (which makes an asymmetric estimator symmetric). The raw numbers can
/// be had too.
///
/// ```cpp
/// pairs.begin(view, candidates);
/// pairs.want(0, 1);                                    // by probing candidate 0
/// pairs.ask(estimator, view, probes, rng);             // … every wanted row comes back through learn …
/// pairs.ask(estimator, view, probes, rng);             // adds nothing when nothing is missing
/// pairs.most(0, 1);                                    // as long as (1, 0) is not known, a bound
/// ```
/// Memory: O(m²) numbers, and what the estimator gathers for the probes of one round; nothing of size m V m. Throws
/// estimator_error for what is not finite, naming positions.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "lacuna/concepts/mi_estimator.hpp"
#include "lacuna/core/errors.hpp"
#include "lacuna/core/probe_list.hpp"
#include "lacuna/core/random.hpp"
#include "lacuna/core/step_view.hpp"

namespace lacuna {

namespace detail {

/// Stands for what a reading estimator need not gather.
template <class E>
struct gathered_type {
  struct type {};
};
template <probing_mi_estimator E>
struct gathered_type<E> {
  using type = typename E::gathered;
};

}  // namespace detail

template <mi_estimator E>
class pair_information {
 public:
  /// Candidate a is candidate `candidates[a]` of the view. Of no pair anything is known.
  void begin(const step_view& view, std::span<const std::size_t> candidates) {
    candidates_.assign(candidates.begin(), candidates.end());
    entropies_.clear();
    for (const std::size_t k : candidates) entropies_.push_back(view.entropy(k));
    const std::size_t m = size();
    if (pairs_.size() < m * m) pairs_.resize(m * m);
    std::fill(pairs_.begin(), pairs_.begin() + static_cast<std::ptrdiff_t>(m * m), pair{});
    queued_.assign(m, 0);
    queue_.clear();
    next_ = 0;
    planned_ = 0;
    values_.clear();
    used_ = 0;
  }

  /// m.
  [[nodiscard]] std::size_t size() const { return candidates_.size(); }
  [[nodiscard]] double entropy(std::size_t a) const { return entropies_[a]; }
  /// min(H_a, H_b).
  [[nodiscard]] double cap(std::size_t a, std::size_t b) const { return std::min(entropies_[a], entropies_[b]); }

  /// Whether the information from a to b is known.
  [[nodiscard]] bool known(std::size_t a, std::size_t b) const { return of(a, b).state == knowledge::known; }
  /// As the estimator gave it; only if known.
  [[nodiscard]] double raw(std::size_t a, std::size_t b) const { return of(a, b).information; }
  /// How far it may be off, by the estimator; 0 if it does not say.
  [[nodiscard]] double error(std::size_t a, std::size_t b) const { return of(a, b).error; }

  /// Bounds of the cleaned information of a and b; equal if both directions are known.
  [[nodiscard]] double least(std::size_t a, std::size_t b) const {
    const double limit = cap(a, b);
    return (clamped(of(a, b), limit, 0) + clamped(of(b, a), limit, 0)) / 2;
  }
  [[nodiscard]] double most(std::size_t a, std::size_t b) const {
    const double limit = cap(a, b);
    return (clamped(of(a, b), limit, limit) + clamped(of(b, a), limit, limit)) / 2;
  }

  /// Candidates that are to be probed and of which no probe has been asked for.
  [[nodiscard]] std::size_t unasked() const { return queue_.size() - next_; }

  /// The information from a to b is needed: a is to be probed.
  void want(std::size_t a, std::size_t b) {
    pair& p = pairs_[a * size() + b];
    if (p.state != knowledge::none) return;
    p.state = knowledge::wanted;
    if (queued_[a] != 0) return;
    queued_[a] = 1;
    queue_.push_back(a);
  }

  /// Adds probes for what is wanted, as many as the round takes.
  void ask(const E& e, const step_view& view, probe_list& probes, const step_random& rng) requires probing_mi_estimator<E> {
    close(view);
    sent_.clear();
    first_probe_ = probes.size();
    while (probes.room() > 0) {
      if (planned_ == values_.size() && !open_next(e, view, rng)) break;
      for (; planned_ < values_.size() && probes.room() > 0; ++planned_) {
        const slot& s = slots_[used_ - 1];
        probes.add();
        probes.put(view.positions[candidates_[s.from]], values_[planned_].value);
        for (const std::size_t b : s.to) probes.want(view.positions[candidates_[b]]);
        sent_.push_back({used_ - 1, values_[planned_].weight});
      }
    }
    if (probes.size() == first_probe_) close(view);  // of positions for which the estimator names no value
  }

  /// The t-th row wanted by the r-th probe of the round.
  void learn(const E&, std::size_t r, std::size_t t, std::span<const double> log_p) requires probing_mi_estimator<E> {
    const probe& p = sent_[r - first_probe_];
    slot& s = slots_[p.slot];
    if (log_p.empty())
      s.broken[t] = 1;
    else
      s.seen.add(t, p.weight, log_p);
  }

  /// Everything is known.
  void read(const E& e, const step_view& view, memory_of<E>& memory) requires reading_mi_estimator<E> {
    const std::size_t m = size();
    if (out_.size() < m * m) out_.resize(m * m);
    const auto out = std::span{out_}.first(m * m);
    std::fill(out.begin(), out.end(), 0.0);
    e.estimate(view, std::span<const std::size_t>{candidates_}, memory, out);
    for (std::size_t a = 0; a < m; ++a)
      for (std::size_t b = 0; b < m; ++b)
        if (a != b) know(view, a, b, out[a * m + b], 0);
  }

 private:
  enum class knowledge : std::uint8_t { none, wanted, asked, known };
  struct pair {
    double information = 0;
    double error = 0;
    knowledge state = knowledge::none;
  };
  /// A position whose values are being put in.
  struct slot {
    std::size_t from = 0;
    std::vector<std::size_t> to;  // ascending by position
    std::vector<std::uint8_t> broken;
    typename detail::gathered_type<E>::type seen;
  };
  struct probe {
    std::size_t slot;
    double weight;
  };

  [[nodiscard]] const pair& of(std::size_t a, std::size_t b) const { return pairs_[a * size() + b]; }
  static double clamped(const pair& p, double limit, double unknown) {
    return p.state == knowledge::known ? std::clamp(p.information, 0.0, limit) : unknown;
  }

  void know(const step_view& view, std::size_t a, std::size_t b, double information, double error) {
    if (!std::isfinite(information))
      throw estimator_error("mi: the estimate for positions " + std::to_string(view.positions[candidates_[a]]) + " and " +
                            std::to_string(view.positions[candidates_[b]]) + " is " + std::to_string(information) +
                            ", expected a finite number of nats");
    pairs_[a * size() + b] = {information, error, knowledge::known};
  }

  /// Starts on the next position that is to be probed, if there is one.
  bool open_next(const E& e, const step_view& view, const step_random& rng) requires probing_mi_estimator<E> {
    if (next_ == queue_.size()) return false;
    const std::size_t a = queue_[next_++];
    queued_[a] = 0;
    if (used_ == slots_.size()) slots_.emplace_back();
    slot& s = slots_[used_++];
    s.from = a;
    s.to.clear();
    s.to.reserve(size());
    for (std::size_t b = 0; b < size(); ++b) {
      pair& p = pairs_[a * size() + b];
      if (p.state != knowledge::wanted) continue;
      p.state = knowledge::asked;
      s.to.push_back(b);
    }
    std::sort(s.to.begin(), s.to.end(),
              [&](std::size_t b, std::size_t c) { return view.positions[candidates_[b]] < view.positions[candidates_[c]]; });
    s.broken.assign(s.to.size(), 0);
    s.seen.begin(e, s.to.size(), view.vocabulary);
    values_.clear();
    planned_ = 0;
    e.values(view.row(candidates_[a]), values_, rng.at(view.positions[candidates_[a]]));
    return true;
  }

  /// Draws the sums of the positions all of whose values have come back.
  void close(const step_view& view) requires probing_mi_estimator<E> {
    const bool cut = planned_ < values_.size();  // the last one goes on in the next round
    const std::size_t whole = used_ - (cut ? 1 : 0);
    for (std::size_t i = 0; i < whole; ++i) {
      const slot& s = slots_[i];
      for (std::size_t t = 0; t < s.to.size(); ++t) {
        const double nothing = std::numeric_limits<double>::quiet_NaN();
        double error = 0;
        if constexpr (tells_probe_error<E>) error = s.seen.error(t);
        know(view, s.from, s.to[t], s.broken[t] != 0 ? nothing : double{s.seen.information(t, entropies_[s.to[t]])}, error);
      }
    }
    if (cut && whole > 0) std::swap(slots_[0], slots_[whole]);
    used_ = cut ? 1 : 0;
  }

  std::vector<std::size_t> candidates_;  // [m] indices into the view
  std::vector<double> entropies_;        // [m]
  std::vector<pair> pairs_;              // [m, m] or more
  std::vector<double> out_;              // [m, m] of a reading estimator

  std::vector<std::uint8_t> queued_;  // [m] whether it is in the part of the queue to come
  std::vector<std::size_t> queue_;    // positions to be probed
  std::size_t next_ = 0;              // first of them not begun
  std::vector<probe_value> values_;   // of the one begun last
  std::size_t planned_ = 0;           // how many of them are probes already
  std::vector<slot> slots_;           // the first `used_` are begun and not closed
  std::size_t used_ = 0;
  std::vector<probe> sent_;  // the probes of this round
  std::size_t first_probe_ = 0;
};

}  // namespace lacuna
