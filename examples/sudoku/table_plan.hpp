/// @file
/// @brief The lines of the table that `sudoku table` prints.
///
/// Chosen so that both tables of a network that ships, argmax and sampled draws, take about half an hour on two threads: some
/// 400 thousand grids are scored for each with the weaker network. Exact information is that of mi::pruned with epsilon = 0.01,
/// at most 0.023 nats too large for a pair: for twenty expert puzzles, the weaker network and gamma = 0.3 it scores 115 grids a
/// puzzle beside 15.9 passes, where epsilon = 0.001 scores 443 (262 in four rounds) beside 15.85. Even so such a line costs
/// eight times what one with trained information does, so that these, and punt, are of fewer puzzles.
#pragma once

#include <string>
#include <vector>

namespace sudoku {

struct table_line {
  std::string sampler;
  std::string family;   ///< what one curve of the picture joins
  bool few = false;     ///< costly: on fewer puzzles
  bool guided = false;  ///< beside it: the same budget without information, and an entropy bound of as many passes
};

/// The lines, those with a trained estimator if there is one.
inline std::vector<table_line> table_plan(bool neural) {
  std::vector<table_line> lines{
      {"sequential:rank=entropy", "one at a time", false, false},
      {"lookahead:rank=entropy,width=4", "one at a time, lookahead", false, false},
      {"lookahead:rank=entropy,width=8", "one at a time, lookahead", false, false},
      {"top_k:rank=entropy,k=2", "k at a time", false, false},
      {"top_k:rank=entropy,k=4", "k at a time", false, false},
      {"top_k:rank=entropy,k=7", "k at a time", false, false},
      {"threshold:tau=0.9", "threshold", false, false},
      {"threshold:tau=0.7", "threshold", false, false},
      {"threshold:tau=0.9,rank=margin", "margin", false, false},
      {"factor:f=0.5", "factor", false, false},
      {"factor:f=1", "factor", false, false},
      {"entropy_bound:gamma=0.1", "entropy bound", false, false},
      {"entropy_bound:gamma=0.2", "entropy bound", false, false},
      {"entropy_bound:gamma=0.5", "entropy bound", false, false},
  };
  if (neural) {
    for (const char* gamma : {"0.3", "0.6", "1"})
      lines.push_back({std::string("mi_guided:mi=neural,gamma=") + gamma, "mi_guided, neural", false, true});
    for (const char* gamma : {"0.001", "0.01"})
      lines.push_back({std::string("dependence_bound:mi=neural,gamma=") + gamma, "dependence bound, neural", false, false});
  }
  for (const char* gamma : {"0.3", "0.6"})
    lines.push_back({std::string("mi_guided:epsilon=0.01,gamma=") + gamma, "mi_guided, exact", true, true});
  for (const char* gamma : {"0.001", "0.01"})
    lines.push_back(
        {std::string("dependence_bound:epsilon=0.01,rounds=8,gamma=") + gamma, "dependence bound, exact", true, false});
  lines.push_back({"punt", "punt", true, false});
  return lines;
}

}  // namespace sudoku
