/// @file
/// @brief validate: asks a policy to check its parameters, if it has anything to check.
///
/// A policy with parameters has `void validate() const`, which throws invalid_argument saying what was got and what was
/// expected; a policy around others passes the question on with `lacuna::validate(inner)`. Samplers ask before the first pass.
#pragma once

namespace lacuna {

/// p.validate(): throws invalid_argument if a parameter of the policy is out of range.
template <class P>
concept has_validate = requires(const P& p) {
  p.validate();
};

/// Calls `p.validate()`, or nothing for a policy (a lambda, say) that has no such member.
template <class P>
constexpr void validate([[maybe_unused]] const P& p) {
  if constexpr (has_validate<P>) p.validate();
}

}  // namespace lacuna
