/// @file
/// @brief The law of speculative sampling by enumeration: every draft, every acceptance, every redraw.
///
/// Written from the description of the sampler, with none of its code: probabilities come from a draft_verify_table.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <map>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "lacuna/problems/draft_verify_table.hpp"
#include "lacuna/sample/decode.hpp"

namespace lacuna::tests {

using distribution = std::vector<double>;

/// What is done with one draft; the sampler's rule by default.
struct acceptance_rule {
  std::function<double(double p, double q)> accepts = [](double p, double q) { return std::min(1.0, q / p); };
  std::function<double(double p, double q)> redraws = [](double p, double q) { return std::max(0.0, q - p); };
};

/// What there is to enumerate: a table, an order of all positions, W(i) of N, the number of verifications.
struct enumeration {
  using size_rule = std::function<std::size_t(std::size_t, std::size_t)>;
  enumeration(problems::draft_verify_table m, std::vector<std::size_t> order, size_rule w, std::size_t n)
      : model{std::move(m)}, sigma{std::move(order)}, window{std::move(w)}, verifications{n} {}

  problems::draft_verify_table model;
  std::vector<std::size_t> sigma;
  size_rule window;
  std::size_t verifications;
  double temperature = 1;
  acceptance_rule rule = {};
  /// What drafts behind a redrawn token are drawn from anew, given their p; they are kept if there is nothing here.
  std::function<distribution(const distribution&)> redraft = {};

  /// Probability of every assignment, x_0 the most significant digit, given the tokens of `start` (which sigma begins with).
  [[nodiscard]] distribution law(const std::vector<token>& start) {
    const std::size_t n = start.size();
    prompt_ = static_cast<std::size_t>(std::count_if(start.begin(), start.end(), [&](token t) { return t != mask(); }));
    mass_.assign(n + 1, {});
    mass_[prompt_][start] = 1;
    for (std::size_t i = prompt_; i < n; ++i)
      for (const auto& [revealed, weight] : mass_[i]) draft(revealed, i, weight);
    distribution out(static_cast<std::size_t>(std::pow(model.states(), n) + 0.5), 0.0);
    for (const auto& [x, weight] : mass_[n]) {
      std::size_t index = 0;
      for (const token t : x) index = index * model.states() + static_cast<std::size_t>(t);
      out[index] = weight;
    }
    return out;
  }

 private:
  [[nodiscard]] token mask() const { return model.mask_token(); }

  [[nodiscard]] distribution tempered(distribution p) const {
    if (temperature == 1) return p;
    const auto best = std::max_element(p.begin(), p.end());
    const double largest = *best;
    if (temperature == 0) {
      const auto at = best - p.begin();
      std::fill(p.begin(), p.end(), 0.0);
      p[static_cast<std::size_t>(at)] = 1;
      return p;
    }
    for (double& v : p) v = std::pow(v / largest, 1 / temperature);
    const double sum = std::accumulate(p.begin(), p.end(), 0.0);
    for (double& v : p) v /= sum;
    return p;
  }

  /// Every draft of the window.
  void draft(const std::vector<token>& revealed, std::size_t i, double weight) {
    revealed_ = revealed;
    begin_ = i;
    const std::size_t total = sigma.size() - prompt_;
    const std::size_t size = std::max<std::size_t>(1, window(i - prompt_, total));
    end_ = std::min(sigma.size(), i + size);
    p_.clear();
    for (std::size_t d = i; d < end_; ++d) p_.push_back(tempered(model.draft_probabilities(revealed, sigma[d])));
    targets_.clear();
    std::vector<token> tokens = revealed;
    draw(tokens, i, weight);
  }
  void draw(std::vector<token>& tokens, std::size_t d, double weight) {
    if (weight == 0) return;
    if (d == end_) return verify(tokens, begin_, begin_, 1, weight);
    for (std::size_t v = 0; v < model.states(); ++v) {
      tokens[sigma[d]] = static_cast<token>(v);
      draw(tokens, d + 1, weight * p_[d - begin_][v]);
    }
    tokens[sigma[d]] = mask();
  }

  /// Tracks before d are accepted in this verification, the m-th.
  void verify(std::vector<token> tokens, std::size_t first, std::size_t d, std::size_t m, double weight) {
    if (weight == 0) return;
    if (d == end_) return reveal(tokens, end_, weight);
    const distribution& p = p_[d - begin_];
    const distribution& q = target(tokens, d);
    const auto x = static_cast<std::size_t>(tokens[sigma[d]]);
    // A token of the draft with p = 0 can stand here only if it was redrawn, and redrawn tracks are not verified again.
    const double accept = std::min(1.0, rule.accepts(p[x], q[x]));
    verify(tokens, first, d + 1, m, weight * accept);
    distribution residual(p.size());
    for (std::size_t v = 0; v < p.size(); ++v) residual[v] = rule.redraws(p[v], q[v]);
    const double sum = std::accumulate(residual.begin(), residual.end(), 0.0);
    if (!(accept < 1) || !(sum > 0)) return;
    for (std::size_t v = 0; v < p.size(); ++v) {
      tokens[sigma[d]] = static_cast<token>(v);
      const double w = weight * (1 - accept) * residual[v] / sum;
      if (d + 1 == end_ || m == verifications)
        reveal(tokens, d + 1, w);
      else if (redraft)
        draw_anew(tokens, d + 1, d + 1, m + 1, w);
      else
        verify(tokens, d + 1, d + 1, m + 1, w);
    }
  }
  void draw_anew(std::vector<token>& tokens, std::size_t first, std::size_t d, std::size_t m, double weight) {
    if (weight == 0) return;
    if (d == end_) return verify(tokens, first, first, m, weight);
    const distribution from = redraft(p_[d - begin_]);
    for (std::size_t v = 0; v < model.states(); ++v) {
      tokens[sigma[d]] = static_cast<token>(v);
      draw_anew(tokens, first, d + 1, m, weight * from[v]);
    }
  }
  void reveal(std::vector<token> tokens, std::size_t known, double weight) {
    if (weight == 0) return;
    for (std::size_t d = known; d < sigma.size(); ++d) tokens[sigma[d]] = mask();
    mass_[known][tokens] += weight;
  }

  const distribution& target(const std::vector<token>& tokens, std::size_t d) {
    std::vector<token> key;
    for (std::size_t e = begin_; e < d; ++e) key.push_back(tokens[sigma[e]]);
    auto [at, fresh] = targets_.try_emplace(std::move(key));
    if (fresh) at->second = tempered(model.target_probabilities(revealed_, sigma, d, tokens));
    return at->second;
  }

  std::size_t prompt_ = 0;
  std::vector<std::map<std::vector<token>, double>> mass_;  // by number of revealed positions
  std::vector<token> revealed_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::vector<distribution> p_;
  std::map<std::vector<token>, distribution> targets_;  // by the tokens since the draft
};

/// How often each assignment comes out of `runs` rows that start from one canvas.
template <class Model, class Sampler>
std::vector<std::size_t> counts_of(Model model, std::size_t states, const canvas& start, const Sampler& sampler,
                                   std::size_t runs, std::uint64_t seed) {
  const std::vector<canvas> starts(runs, start);
  const batch_result out = decode(model, std::span<const canvas>(starts), sampler, decode_options{seed, 500});
  std::vector<std::size_t> n(static_cast<std::size_t>(std::pow(states, start.size()) + 0.5));
  for (const decode_result& r : out.rows) {
    std::size_t index = 0;
    for (const token t : r.tokens) index = index * states + static_cast<std::size_t>(t);
    ++n.at(index);
  }
  return n;
}

/// Total variation between what was counted and a law.
inline double total_variation(const std::vector<std::size_t>& counts, const distribution& law) {
  const double runs = static_cast<double>(std::accumulate(counts.begin(), counts.end(), std::size_t{0}));
  double tv = 0;
  for (std::size_t k = 0; k < law.size(); ++k) tv += std::abs(static_cast<double>(counts[k]) / runs - law[k]) / 2;
  return tv;
}

/// What the total variation of as many draws from the law itself exceeds with a probability of 1e-6 at the most: a bound of its
/// mean (from the variances of the cells), and McDiarmid's inequality (one draw moves it by 1 / runs).
inline double noise(const distribution& law, std::size_t runs) {
  const double n = static_cast<double>(runs);
  double mean = 0;
  for (const double p : law) mean += std::sqrt(p * (1 - p) / n) / 2;
  return mean + std::sqrt(std::log(1e6) / (2 * n));
}

}  // namespace lacuna::tests
