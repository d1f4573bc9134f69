/// @file
/// @brief order::punt: positions, surest first, that do not move each other when they are filled: found by a few tests.
///
/// The n candidates are ranked (by confidence). Test number t fills in, with their drawn tokens and all at once, those whose
/// rank has a 0 as its t-th binary digit, and strikes out every one with a 1 there whose row moves by more than epsilon nats,
/// KL(with ‖ without). Any two that are left have been told apart by the first digit in which their ranks differ, the surer one
/// being filled in then; they are unmasked together. At least the surest is. Choose it where dependence must be tested on large
/// vocabularies: it needs ⌈log₂ n⌉ probes of one row each a step, one after the other, where mutual information needs a row for
/// every value, at once. It knows the tokens actually drawn, not the mean over values.
/// Cost: in each of 1 to `masks` steps one pass and up to ⌈log₂ n⌉ further ones (purpose::probe); fewer when whole tests fall
/// away. Memory n V. Errors: negative or NaN epsilon is refused.
/// Azangulov et al. 2025, arXiv 2510.21961 (the direction of the divergence is our reading).
/// ```cpp
/// lacuna::order::punt{0.05}
/// lacuna::order::punt{0.05, lacuna::rank::entropy{}}
/// ```
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "lacuna/concepts/order_policy.hpp"
#include "lacuna/concepts/rank_policy.hpp"
#include "lacuna/concepts/validate.hpp"
#include "lacuna/core/errors.hpp"
#include "lacuna/core/probe_list.hpp"
#include "lacuna/core/random.hpp"
#include "lacuna/core/row.hpp"
#include "lacuna/core/selection.hpp"
#include "lacuna/core/statistics.hpp"
#include "lacuna/core/step_view.hpp"
#include "lacuna/rank/confidence.hpp"
#include "lacuna/rank/ranking.hpp"

namespace lacuna::order {

template <rank_policy Rank = rank::confidence>
struct punt {
  double epsilon = 0.05;
  [[no_unique_address]] Rank by{};

  static constexpr statistics needs = statistics::rows | needs_of<Rank>;
  struct memory {
    rank::ranking ranking{};
    std::vector<std::size_t> ranked{};  ///< candidates, the surest first
    std::vector<std::uint8_t> left{};   ///< [ranked] not struck out
    std::vector<std::size_t> tested{};  ///< ranks of those whose rows are wanted, ascending by position
    std::size_t digit = 0;              ///< value of the binary digit of the next test

    void reset() {}
  };

  void ask(const step_view& view, memory& m, std::size_t round, probe_list& probes, const step_random& rng) const {
    const std::size_t n = view.size();
    if (round == 0) {
      for (auto* v : {&m.ranked, &m.tested}) v->reserve(view.sequence->size());
      m.left.reserve(view.sequence->size());
      const auto all = m.ranking.all(by, view, rng);
      m.ranked.assign(all.begin(), all.end());
      m.left.assign(n, 1);
      m.digit = 1;
      while (m.digit < n) m.digit *= 2;
      m.digit /= 2;
    }
    for (; m.digit > 0 && probes.empty(); m.digit /= 2) {
      m.tested.clear();
      bool some_filled = false;
      for (std::size_t a = 0; a < n; ++a) {
        if (m.left[a] == 0) continue;
        if ((a & m.digit) != 0)
          m.tested.push_back(a);
        else
          some_filled = true;
      }
      if (m.tested.empty() || !some_filled) continue;
      std::sort(m.tested.begin(), m.tested.end(), [&](std::size_t a, std::size_t b) { return m.ranked[a] < m.ranked[b]; });
      probes.add();
      for (std::size_t a = 0; a < n; ++a)
        if (m.left[a] != 0 && (a & m.digit) == 0) probes.put(view.positions[m.ranked[a]], view.drawn[m.ranked[a]]);
      for (const std::size_t a : m.tested) probes.want(view.positions[m.ranked[a]]);
    }
  }

  void learn(const step_view& view, memory& m, std::size_t, std::size_t t, std::span<const double> log_p) const {
    const std::size_t a = m.tested[t];
    if (log_p.empty() || !(kl_divergence(log_p, view.row(m.ranked[a])) <= epsilon)) m.left[a] = 0;
  }

  void select(const step_view&, memory& m, selection& out, const step_random&) const {
    for (std::size_t a = 0; a < m.ranked.size(); ++a)
      if (m.left[a] != 0) out.add(m.ranked[a]);
  }

  void validate() const {
    if (!(epsilon >= 0))
      throw invalid_argument("order::punt: epsilon = " + std::to_string(epsilon) + " nats, expected at least 0");
    lacuna::validate(by);
  }
};
punt()->punt<>;
punt(double)->punt<>;
template <class Rank>
punt(double, Rank) -> punt<Rank>;

}  // namespace lacuna::order
