/// @file
/// @brief Checks a policy's parameters before the first pass.
#pragma once

namespace lacuna {

/// p.validate() throws invalid_argument, saying what was got and what was expected, if a parameter is out of range. Optional;
/// wrappers validate what they wrap.
template <class P>
concept has_validate = requires(const P& p) {
  p.validate();
};

/// Calls p.validate() where there is one.
template <class P>
void validate(const P& p) {
  if constexpr (has_validate<P>) p.validate();
}

}  // namespace lacuna
