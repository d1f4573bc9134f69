/// @file
/// @brief mi::roc_area: how well a score tells two classes apart: the area under the ROC curve.
///
/// The probability that the score of a member of the class is above that of a non-member, ties counted half: 1 is perfect, .5 a
/// guess. For mutual information: does it find the pairs that the rules of a puzzle, or the contacts of a protein, tie
/// together? O(n log n). Errors, as invalid_argument: different numbers of scores and members, NaN, a class without a member.
/// ```cpp
/// lacuna::mi::roc_area(information_of_pairs, share_a_unit);
/// ```
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "lacuna/core/average_ranks.hpp"
#include "lacuna/core/errors.hpp"

namespace lacuna::mi {

/// `member[k]` is not 0 if the k-th belongs to the class that should have the high scores.
inline double roc_area(std::span<const double> scores, std::span<const std::uint8_t> member) {
  if (scores.size() != member.size())
    throw invalid_argument("mi::roc_area: " + std::to_string(scores.size()) + " scores and " + std::to_string(member.size()) +
                           " members, expected as many");
  const std::vector<double> ranks = average_ranks(scores);
  double inside = 0;
  double sum = 0;  // of half whole numbers
  for (std::size_t k = 0; k < ranks.size(); ++k)
    if (member[k] != 0) {
      ++inside;
      sum += ranks[k];
    }
  const double outside = static_cast<double>(scores.size()) - inside;
  if (inside == 0 || outside == 0)
    throw invalid_argument("mi::roc_area: " + std::to_string(static_cast<std::size_t>(inside)) + " members among " +
                           std::to_string(scores.size()) + " scores, expected both classes");
  return (sum - inside * (inside + 1) / 2) / (inside * outside);
}

}  // namespace lacuna::mi
