/// @file
/// @brief Contexts whose mutual information is known, and the formula for any model, term by term.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "lacuna/concepts/model_facts.hpp"
#include "lacuna/core/canvas.hpp"
#include "lacuna/core/row.hpp"
#include "lacuna/mi/information.hpp"
#include "lacuna/problems/joint_table.hpp"
#include "lacuna/problems/markov_chain.hpp"
#include "lacuna/problems/potts_lattice.hpp"

namespace lacuna::tests {

using problems::joint_table;

struct context_of_table {
  std::string name;
  joint_table table;
  canvas context;

  /// I(X_i; X_j | known) over all positions.
  [[nodiscard]] tensor<double, 2> truth() const {
    std::vector<token> row(context.size());
    for (std::size_t i = 0; i < row.size(); ++i) row[i] = context.is_masked(i) ? table.mask_token() : context[i];
    return table.mutual_information(row);
  }
};

/// Uniform over the triples whose third is the sum of the others modulo 2: any two are independent, given the third one tells
/// the other.
inline joint_table parity() {
  std::vector<double> weights(8, 0.0);
  for (const std::size_t k : {0U, 3U, 5U, 6U}) weights[k] = 1;
  return joint_table(3, 2, std::move(weights));
}

/// Two positions that are the same, uniform over `states`.
inline joint_table twins(std::size_t states) {
  std::vector<double> weights(states * states, 0.0);
  for (std::size_t v = 0; v < states; ++v) weights[v * states + v] = 1;
  return joint_table(2, states, std::move(weights));
}

/// Ten random tables, blank and with something known; a Markov chain; a lattice; independent positions; the parity.
inline std::vector<context_of_table> known_contexts() {
  std::vector<context_of_table> all;
  for (std::size_t seed = 0; seed < 10; ++seed) {
    const std::size_t length = 3 + seed % 3;
    const std::size_t states = 2 + seed % 3;
    const joint_table t = joint_table::random(length, states, seed, seed % 2 == 0 ? 1 : 2);
    canvas c = canvas::blank(length);
    if (seed % 3 == 1) c.fix(seed % length, 1);
    all.push_back({"table " + std::to_string(seed), t, c});
  }
  canvas middle = canvas::blank(5);
  middle.fix(2, 0);
  const problems::markov_chain chain = problems::markov_chain::random(4, 3);
  all.push_back({"chain", joint_table::of(chain, 5), canvas::blank(5)});
  all.push_back({"chain, cut in the middle", joint_table::of(chain, 5), middle});
  const problems::potts_lattice lattice({.rows = 2, .columns = 3, .states = 2, .coupling = 0.8});
  all.push_back({"lattice", joint_table::of(lattice, 6), canvas::blank(6)});
  all.push_back({"independent", joint_table::independent({{1, 2, 3}, {3, 1, 1}, {1, 1, 1}, {0, 1, 4}}), canvas::blank(4)});
  canvas third = canvas::blank(3);
  third.fix(2, 1);
  all.push_back({"parity", parity(), canvas::blank(3)});
  all.push_back({"parity, third known", parity(), third});
  all.push_back({"twins", twins(3), canvas::blank(2)});
  return all;
}

/// Log-probabilities [L][V] of a row, one call of a plain model.
template <class M>
std::vector<std::vector<double>> rows_of(M& model, std::span<const token> row) {
  const model_facts facts = facts_of(model);
  const auto& logits = model(view_as_tensor<const token, 2>(row.data(), {1, row.size()}));
  std::vector<std::vector<double>> out(row.size(), std::vector<double>(facts.vocabulary));
  for (std::size_t i = 0; i < row.size(); ++i) {
    for (std::size_t v = 0; v < facts.vocabulary; ++v) out[i][v] = logits.data()[i * facts.vocabulary + v];
    for (const token t : facts.forbidden) out[i][static_cast<std::size_t>(t)] = -infinity;
    normalize_row(out[i]);
  }
  return out;
}

/// H(X_j) − Σ_v p_i(v) H(X_j | v) of the masked positions, [n, n], as it is written.
template <class M>
tensor<double, 2> by_the_formula(M& model, const canvas& context) {
  std::vector<token> row(context.size());
  std::vector<std::size_t> masked;
  for (std::size_t i = 0; i < row.size(); ++i) {
    row[i] = context.is_masked(i) ? static_cast<token>(model.mask_token()) : context[i];
    if (context.is_masked(i)) masked.push_back(i);
  }
  const auto before = rows_of(model, row);
  tensor<double, 2> out({masked.size(), masked.size()});
  std::fill(out.begin(), out.end(), 0.0);
  for (std::size_t a = 0; a < masked.size(); ++a) {
    for (std::size_t b = 0; b < masked.size(); ++b)
      if (a != b) out(a, b) = entropy(before[masked[b]]);
    for (std::size_t v = 0; v < before[masked[a]].size(); ++v) {
      const double p = std::exp(before[masked[a]][v]);
      if (!(p > 0)) continue;
      std::vector<token> filled = row;
      filled[masked[a]] = static_cast<token>(v);
      const auto after = rows_of(model, filled);
      for (std::size_t b = 0; b < masked.size(); ++b)
        if (a != b) out(a, b) -= p * entropy(after[masked[b]]);
    }
  }
  return out;
}

/// The largest difference of two matrices.
inline double largest_difference(const tensor<double, 2>& a, const tensor<double, 2>& b) {
  double largest = 0;
  for (std::size_t k = 0; k < a.size(); ++k) largest = std::max(largest, std::abs(a.data()[k] - b.data()[k]));
  return a.size() == b.size() ? largest : infinity;
}

/// Whether a matrix [n, n] is symmetric, 0 on the diagonal, and within [0, min(H_a, H_b)].
inline bool is_clean(const tensor<double, 2>& m, const std::vector<double>& entropies) {
  for (std::size_t a = 0; a < entropies.size(); ++a)
    for (std::size_t b = 0; b < entropies.size(); ++b)
      if (!(m(a, b) == m(b, a) && m(a, b) >= 0 && m(a, b) <= (a == b ? 0.0 : std::min(entropies[a], entropies[b]))))
        return false;
  return true;
}

}  // namespace lacuna::tests
