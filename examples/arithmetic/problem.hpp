/// @file
/// @brief Word problems of two to five steps with their calculation, made from a seed.
///
/// A problem is a few amounts of one thing (so many boxes with so many each, red ones and blue ones, some), all together, and
/// what happens to them then: some are given away, found, multiplied, shared out, paid for. The calculation is one of many
/// right ones: amounts that do not depend on each other are computed in any order, operands of + and * stand either way round,
/// connecting words differ. Format of the answer as in GSM8K: `<<a*b=c>>`, at the end `#### n`.
///
/// Test problems differ from those to train on in the expression that is calculated, whatever the story around it and the order
/// in which its terms are told or added: a hash of the expression says which a problem is. Kinds of amounts and events with
/// their numbers would not do, since 3 boxes of 4 and 4 boxes of 3, or two amounts told the other way round, are one
/// calculation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace arithmetic {

struct problem {
  std::string question;
  std::string solution;
  std::string structure;   ///< kinds of amounts and events, with their numbers
  std::string expression;  ///< what is calculated: terms of a sum sorted, as operands of a product are; (2*7 11)/5 for one
};

enum class split { train, test };

/// The number-th problem of a split: the same for the same seed everywhere.
problem make_problem(std::uint64_t seed, split which, std::size_t number);

/// Tokens of a question at most, and of a solution: longer ones are not made.
inline constexpr std::size_t question_length = 50;
inline constexpr std::size_t solution_length = 42;

}  // namespace arithmetic
